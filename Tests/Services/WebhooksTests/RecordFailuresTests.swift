import Kafka
import Testing

@testable import Webhooks

/// When a record and not the receiver is at fault.
@Suite struct RecordFailuresTests {
    private let failures = RecordFailures(.init(count: 3, time: .seconds(10)))

    private func record(_ offset: KafkaOffset, partition: KafkaPartition = 0) -> KafkaRecord {
        KafkaRecord(topic: "t", partition: partition, offset: offset, key: nil, value: nil)
    }

    private func failed(_ offset: KafkaOffset, at second: UInt64, partition: KafkaPartition = 0) -> Bool {
        failures.failed(record(offset, partition: partition), at: second * 1_000_000_000)
    }

    @Test func `a record is at fault after so many failures over so long, each after an acceptance of another`() {
        for second in [0, 4, 8] as [UInt64] {
            #expect(!failed(1, at: second))
            failures.accepted(record(2))
        }
        #expect(!failed(1, at: 9))
        #expect(failed(1, at: 10))
        // It is counted from the beginning when it comes again.
        #expect(!failed(1, at: 11))
    }

    @Test func `failures without an acceptance between them count as one`() {
        for second in 0..<100 as Range<UInt64> { #expect(!failed(1, at: second)) }
        failures.accepted(record(2))
        #expect(!failed(1, at: 100))
        failures.accepted(record(2))
        #expect(failed(1, at: 101))
    }

    @Test func `a receiver that went down after a few acceptances does not make it a record's fault`() {
        #expect(!failed(1, at: 0))
        failures.accepted(record(2))
        #expect(!failed(1, at: 1))
        for second in 2..<1000 as Range<UInt64> { #expect(!failed(1, at: second)) }
    }

    @Test func `an acceptance is missing once the time is over, and not while many records fail`() {
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

    @Test func `an acceptance of the record itself ends its failures`() {
        for second in [0, 4, 10] as [UInt64] {
            #expect(!failed(1, at: second))
            failures.accepted(record(1))
        }
    }

    @Test func `offsets of several partitions are kept apart, and go with their partition`() {
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
