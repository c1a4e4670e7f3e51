import Kafka
import Primitives
import Synchronization
import TestSupport
import Testing

@testable import Webhooks

/// Distinguishes a failing record from a failing receiver.
@Suite struct RecordFailuresTests {
    private let failures = RecordFailures(.init(count: 3, time: .seconds(10)))

    private func record(_ offset: KafkaOffset, partition: KafkaPartition = 0) -> KafkaRecord {
        KafkaRecord(topic: "t", partition: partition, offset: offset, key: nil, value: nil)
    }

    private func failed(_ offset: KafkaOffset, at second: UInt64, partition: KafkaPartition = 0) -> Bool {
        failures.failed(record(offset, partition: partition), at: second * 1_000_000_000)
    }

    @Test func `a record is at fault after enough failures over enough time, each after another acceptance`() {
        for second in [0, 4, 8] as [UInt64] {
            #expect(!failed(1, at: second))
            failures.accepted(record(2))
        }
        #expect(!failed(1, at: 9))
        #expect(failed(1, at: 10))
        // The count restarts when the record is delivered again.
        #expect(!failed(1, at: 11))
    }

    @Test func `failures without an acceptance in between count as one`() {
        for second in 0..<100 as Range<UInt64> { #expect(!failed(1, at: second)) }
        failures.accepted(record(2))
        #expect(!failed(1, at: 100))
        failures.accepted(record(2))
        #expect(failed(1, at: 101))
    }

    @Test func `a record is not at fault when the receiver went down after a few acceptances`() {
        #expect(!failed(1, at: 0))
        failures.accepted(record(2))
        #expect(!failed(1, at: 1))
        for second in 2..<1000 as Range<UInt64> { #expect(!failed(1, at: second)) }
    }

    @Test func `a probe is needed after the failure time, unless many records fail`() {
        func lacks(_ offset: KafkaOffset, at second: UInt64) -> Bool {
            failures.lacksAcceptance(record(offset), at: second * 1_000_000_000)
        }
        #expect(!lacks(1, at: 100))
        for offset in 1...4 as ClosedRange<Int64> { #expect(!failed(KafkaOffset(rawValue: offset), at: 0)) }
        #expect(!lacks(1, at: 9))
        #expect(lacks(1, at: 10))
        failures.acceptedAgain()
        #expect(!lacks(1, at: 10))
        #expect(!failed(1, at: 10))
        #expect(lacks(1, at: 10))
        #expect(!failed(5, at: 10))
        #expect(!lacks(1, at: 10))
    }

    @Test func `an acceptance of the record itself resets its failures`() {
        for second in [0, 4, 10] as [UInt64] {
            #expect(!failed(1, at: second))
            failures.accepted(record(1))
        }
    }

    @Test func `failures are kept by partition, and removed with their partition`() {
        for partition in [0, 1] as [KafkaPartition] { #expect(!failed(1, at: 0, partition: partition)) }
        for second in [1, 2] as [UInt64] {
            failures.accepted(record(2))
            #expect(!failed(1, at: second))
            #expect(!failed(1, at: second, partition: 1))
        }
        failures.forget(KafkaTopicPartition(topic: "t", partition: 1))
        #expect(failed(1, at: 10))
        #expect(!failed(1, at: 10, partition: 1))
    }
}

/// Failures are persisted across processes. The monotonic clock restarts with each process, as after a reboot.
@Suite struct KeptFailuresTests {
    private let directory: TemporaryDirectory
    private let wall = Seconds()
    private let limits = RecordFailures.Limits(count: 3, time: .seconds(10))

    private final class Seconds: Sendable {
        /// Seconds since the start of the first process.
        let seconds = Atomic<Int64>(0)
    }

    init() throws { directory = try TemporaryDirectory() }

    private func process() -> RecordFailures {
        RecordFailures(
            limits, file: FailuresFile(group: "sluice-webhooks", in: directory.path, log: nil),
            clocks: Clocks(
                wallMilliseconds: { [wall] in 1_800_000_000_000 + wall.seconds.load(ordering: .relaxed) * 1_000 },
                monotonicNanoseconds: { 0 }))
    }

    private func record(_ offset: KafkaOffset, timestamp: Int64 = 5) -> KafkaRecord {
        KafkaRecord(
            topic: "t", partition: 0, offset: offset, timestampMilliseconds: timestamp, key: nil, value: nil,
            headers: [])
    }

    /// Fails the first record twice, four seconds apart, with an acceptance between and after the failures.
    private func failTwice(_ failures: RecordFailures) {
        #expect(!failures.failed(record(1), at: 0))
        failures.accepted(record(2))
        wall.seconds.store(4, ordering: .relaxed)
        #expect(!failures.failed(record(1), at: 4_000_000_000))
        failures.accepted(record(2))
    }

    @Test(arguments: [(9, false), (10, true)] as [(Int64, Bool)])
    func `the count and the first failure survive a restart`(_ second: Int64, isAtFault: Bool) {
        failTwice(process())
        let next = process()
        wall.seconds.store(second, ordering: .relaxed)
        #expect(!next.failed(record(1), at: 1_000_000))
        next.accepted(record(2))
        #expect(next.failed(record(1), at: 1_000_000) == isAtFault)
    }

    @Test func `a restart is not an acceptance`() {
        failTwice(process())
        wall.seconds.store(100, ordering: .relaxed)
        for _ in 0..<10 {
            let next = process()
            for second in 0..<10 as Range<UInt64> { #expect(!next.failed(record(1), at: second * 1_000_000_000)) }
        }
    }

    @Test func `failures continue when the partition is assigned again`() {
        let failures = process()
        failTwice(failures)
        failures.forget(record(1).topicPartition)
        wall.seconds.store(10, ordering: .relaxed)
        #expect(!failures.failed(record(1), at: 10_000_000_000))
        failures.accepted(record(2))
        #expect(failures.failed(record(1), at: 10_000_000_000))
    }

    @Test func `failures start from zero after an acceptance, after a fault and for another record at the offset`() {
        let file = FailuresFile(group: "sluice-webhooks", in: directory.path, log: nil)
        let failures = process()
        failTwice(failures)
        #expect(file.read().map(\.count) == [2])
        failures.accepted(record(1))
        #expect(file.read().isEmpty)
        failTwice(failures)
        wall.seconds.store(20, ordering: .relaxed)
        #expect(failures.failed(record(1), at: 20_000_000_000))
        #expect(file.read().isEmpty)
        failTwice(failures)
        let next = process()
        wall.seconds.store(40, ordering: .relaxed)
        #expect(!next.failed(record(1, timestamp: 6), at: 0))
        next.accepted(record(2))
        #expect(!next.failed(record(1, timestamp: 6), at: 20_000_000_000))
    }

    @Test(arguments: ["", "{", "[]", #"{"version":2,"failures":[]}"#, #"{"version":1,"failures":[{"topic":"t"}]}"#])
    func `an unreadable file yields no failures`(_ text: String) throws {
        let path = try directory.write(text, to: "sluice-webhooks.failures.json")
        #expect(FailuresFile(path: path).read().isEmpty)
        failTwice(process())
        #expect(FailuresFile(path: path).read().map(\.count) == [2])
    }

    @Test func `failures older than a week are dropped`() {
        failTwice(process())
        wall.seconds.store(8 * 86_400, ordering: .relaxed)
        let next = process()
        #expect(!next.failed(record(1), at: 0))
        next.accepted(record(2))
        #expect(!next.failed(record(1), at: 0))
    }
}
