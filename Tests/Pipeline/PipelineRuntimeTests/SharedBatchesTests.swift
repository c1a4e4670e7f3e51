import Kafka
import PipelineTestSupport
import Synchronization
import TestSupport
import Testing

@testable import PipelineRuntime

private struct SinkDown: InfrastructureFault {}
private struct Poison: Error {}

/// Calls of a handler that hold until they are released, and looks at overdue batches that the test makes.
private final class SharedCalls: Sendable {
    let calls = Mutex<[[String]]>([])
    let looks = Mutex<[@Sendable () -> Void]>([])
    let gate = Gate()
    let held = Atomic(1)

    func batches(records: Int = 100, bytes: Int = 1 << 20) -> SharedBatches {
        SharedBatches(
            maximumRecords: records, maximumBytes: bytes, schedule: { look in self.looks.withLock { $0.append(look) } }
        ) { records in
            let names = records.map(Self.name)
            let number = self.calls.withLock { calls in
                calls.append(names)
                return calls.count
            }
            if number <= self.held.load(ordering: .relaxed) { await self.gate.pass() }
            try Task.checkCancellation()
            if names.count > 1, names.contains(where: { $0.hasSuffix("poison") }) { throw Poison() }
            if names == ["t/9/poison"] { throw SinkDown() }
            return names.map { .skip(HandlerReason(code: $0)) }
        }
    }

    static func name(_ record: KafkaRecord) -> String {
        "\(record.topic.rawValue)/\(record.partition.rawValue)/\(String(decoding: record.value ?? [], as: UTF8.self))"
    }

    static func records(_ partition: Int32, _ values: [String], topic: KafkaTopic = "t") -> [KafkaRecord] {
        values.enumerated().map { index, value in
            KafkaRecord(
                topic: topic, partition: KafkaPartition(rawValue: partition),
                offset: KafkaOffset(rawValue: Int64(index)), key: [], value: Array(value.utf8))
        }
    }

    func waitForCalls(_ count: Int) async throws { try await waitUntil { self.calls.withLock { $0.count } >= count } }

    static func codes(_ verdicts: [HandlerVerdict]) -> [String] {
        verdicts.map { if case .skip(let reason) = $0 { reason.code } else { "\($0)" } }
    }
}

@Suite(.timeLimit(.minutes(2)))
struct SharedBatchesTests {
    /// One batch in a call that holds, then these in the order given.
    private func codes(
        _ calls: SharedCalls, _ batches: SharedBatches, behind others: [[KafkaRecord]]
    ) async throws -> [[String]] {
        try await withThrowingTaskGroup(of: (Int, [String]).self) { group in
            group.addTask {
                (-1, SharedCalls.codes(try await batches.handle(SharedCalls.records(0, ["first"]))))
            }
            try await calls.waitForCalls(1)
            for (index, records) in others.enumerated() {
                group.addTask { (index, SharedCalls.codes(try await batches.handle(records))) }
                let begun = index + 1
                try await waitUntil {
                    batches.waitingCount == begun || calls.calls.withLock { $0.count } > 1
                }
            }
            calls.gate.open()
            var answers: [Int: [String]] = [:]
            for try await (index, codes) in group { answers[index] = codes }
            return others.indices.map { answers[$0] ?? [] }
        }
    }

    @Test func `batches that come during a call are one call after it, and each gets its verdicts`() async throws {
        let calls = SharedCalls()
        let answers = try await codes(
            calls, calls.batches(),
            behind: [
                SharedCalls.records(1, ["a", "b"]), SharedCalls.records(2, ["c"]), SharedCalls.records(3, ["d", "e"]),
            ])
        #expect(answers == [["t/1/a", "t/1/b"], ["t/2/c"], ["t/3/d", "t/3/e"]])
        #expect(
            calls.calls.withLock { $0 } == [["t/0/first"], ["t/1/a", "t/1/b", "t/2/c", "t/3/d", "t/3/e"]])
    }

    @Test func `a call has records of one topic`() async throws {
        let calls = SharedCalls()
        _ = try await codes(
            calls, calls.batches(),
            behind: [
                SharedCalls.records(1, ["a"]), SharedCalls.records(1, ["b"], topic: "u"), SharedCalls.records(2, ["c"]),
            ])
        #expect(calls.calls.withLock { $0 } == [["t/0/first"], ["t/1/a", "t/2/c"], ["u/1/b"]])
    }

    @Test func `a call has at most as many records and bytes as it may, or one batch`() async throws {
        let calls = SharedCalls()
        calls.held.store(2, ordering: .relaxed)
        _ = try await codes(
            calls, calls.batches(records: 5),
            behind: [
                SharedCalls.records(1, ["a", "b"]), SharedCalls.records(2, ["c", "d", "e", "f", "g", "h"]),
                SharedCalls.records(3, ["i", "j"]),
            ])
        // The second one is more than half of a call, so the first begins with it at once.
        #expect(calls.calls.withLock { $0.map(\.count).sorted() } == [1, 2, 2, 6])
        let bytes = SharedCalls()
        _ = try await codes(
            bytes, bytes.batches(bytes: 30),
            behind: [
                SharedCalls.records(1, [String(repeating: "a", count: 12)]),
                SharedCalls.records(2, [String(repeating: "b", count: 29)]),
            ])
        #expect(bytes.calls.withLock { $0.map(\.count) } == [1, 1, 1])
    }

    @Test func `half of what a call may have begins beside another call`() async throws {
        let calls = SharedCalls()
        let batches = calls.batches(records: 6)
        let first = Task { try await batches.handle(SharedCalls.records(0, ["first"])) }
        try await calls.waitForCalls(1)
        let second = Task { try await batches.handle(SharedCalls.records(1, ["a", "b"])) }
        try await waitUntil { batches.waitingCount == 1 }
        let third = try await batches.handle(SharedCalls.records(2, ["c"]))
        #expect(SharedCalls.codes(third) == ["t/2/c"])
        #expect(SharedCalls.codes(try await second.value) == ["t/1/a", "t/1/b"])
        calls.gate.open()
        #expect(SharedCalls.codes(try await first.value) == ["t/0/first"])
    }

    @Test func `a batch that has waited long begins beside another call`() async throws {
        let calls = SharedCalls()
        let batches = calls.batches()
        let first = Task { try await batches.handle(SharedCalls.records(0, ["first"])) }
        try await calls.waitForCalls(1)
        let second = Task { try await batches.handle(SharedCalls.records(1, ["a"])) }
        try await waitUntil { calls.looks.withLock { $0.count } == 1 }
        #expect(calls.calls.withLock { $0.count } == 1)
        for look in calls.looks.withLock({ $0 }) { look() }
        #expect(SharedCalls.codes(try await second.value) == ["t/1/a"])
        calls.gate.open()
        _ = try await first.value
    }

    @Test func `where a call fails, each partition is handled alone, and only its own error is its own`() async throws {
        let calls = SharedCalls()
        let batches = calls.batches()
        let first = Task { try await batches.handle(SharedCalls.records(0, ["first"])) }
        try await calls.waitForCalls(1)
        let good = Task { try await batches.handle(SharedCalls.records(1, ["a"])) }
        try await waitUntil { batches.waitingCount == 1 }
        let bad = Task { try await batches.handle(SharedCalls.records(2, ["b", "poison"])) }
        try await waitUntil { batches.waitingCount == 2 }
        let down = Task { try await batches.handle(SharedCalls.records(9, ["poison"])) }
        try await waitUntil { batches.waitingCount == 3 }
        calls.gate.open()
        #expect(SharedCalls.codes(try await good.value) == ["t/1/a"])
        await #expect(throws: Poison.self) { try await bad.value }
        await #expect(throws: SinkDown.self) { try await down.value }
        _ = try await first.value
    }

    @Test func `a batch whose task is cancelled ends, waiting or in a call`() async throws {
        let calls = SharedCalls()
        let batches = calls.batches()
        let first = Task { try await batches.handle(SharedCalls.records(0, ["first"])) }
        try await calls.waitForCalls(1)
        let waiting = Task { try await batches.handle(SharedCalls.records(1, ["a"])) }
        try await waitUntil { batches.waitingCount == 1 }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        #expect(batches.waitingCount == 0)
        first.cancel()
        calls.gate.open()
        await #expect(throws: CancellationError.self) { try await first.value }
        #expect(calls.calls.withLock { $0 } == [["t/0/first"]])
        // The next one finds no call in its way.
        #expect(SharedCalls.codes(try await batches.handle(SharedCalls.records(2, ["c"]))) == ["t/2/c"])
    }
}

@Suite(.timeLimit(.minutes(5)))
struct SharedBatchPipelineTests {
    private func options(_ partitions: Int) async throws -> PipelineOptions {
        var options = try await PipelineTestBroker.options(partitions: partitions)
        options.joinsPartitions = true
        options.maximumBatch = 200
        return options
    }

    @Test func `partitions are handled together, each record once and in order`() async throws {
        let options = try await options(6)
        try await PipelineTestBroker.write(numbers: 3000, keys: 41, to: options.topics[0])
        let calls = Mutex<[[KafkaRecord]]>([])
        let held = Atomic(0)
        let gate = Gate()
        let test = try await PipelineHarness(
            options,
            .batches(
                BatchClosure { records in
                    calls.withLock { $0.append(records) }
                    // Until partitions are handled together, or each of them is in a call of its own.
                    let isAlone = Set(records.map(\.partition)).count == 1
                    if isAlone, held.add(1, ordering: .relaxed).newValue < 6 {
                        await gate.pass()
                    } else {
                        gate.open()
                    }
                    return records.map { _ in .done }
                }))
        try await waitUntil { calls.withLock { $0.joined().count } >= 3000 }
        await test.stop()
        let all = calls.withLock { $0 }
        #expect(all.joined().compactMap(\.number).sorted() == Array(0..<3000))
        for (_, records) in Dictionary(grouping: all.joined(), by: \.partition) {
            #expect(zip(records, records.dropFirst()).allSatisfy { $0.offset < $1.offset })
        }
        #expect(all.contains { Set($0.map(\.partition)).count > 1 })
        #expect(all.allSatisfy { $0.count <= 200 })
    }

    @Test func `a record at fault, a retry and a dead letter are those of their partition alone`() async throws {
        let options = try await options(6)
        try await PipelineTestBroker.write(numbers: 600, keys: 60, to: options.topics[0])
        let done = Mutex<[Int]>([])
        let retried = Atomic(false)
        let test = try await PipelineHarness(
            options,
            .batches(
                BatchClosure { records in
                    let numbers = records.compactMap(\.number)
                    if numbers.contains(77) { throw Poison() }
                    var isOver: Set<KafkaPartition> = []
                    return records.map { record -> HandlerVerdict in
                        let number = record.number ?? -1
                        if number == 150, !retried.exchange(true, ordering: .relaxed) {
                            isOver.insert(record.partition)
                        }
                        if isOver.contains(record.partition) { return .retry(after: .milliseconds(1)) }
                        if number == 99 { return .deadLetter("bad") }
                        done.withLock { $0.append(number) }
                        return .done
                    }
                }))
        try await waitUntil { done.withLock { $0.count } >= 598 }
        try await waitUntil { test.metric("sluice_consumer_records_total{outcome=\"dead-lettered\"") == 2 }
        await test.stop()
        #expect(done.withLock { $0.sorted() } == (0..<600).filter { $0 != 77 && $0 != 99 })
        let letters = try await PipelineTestBroker.deadLetters(options, partitions: 6)
        #expect(Set(letters.compactMap(\.number)) == [77, 99])
    }

    @Test func `a sink that is down gets everything again, and nothing is dead-lettered`() async throws {
        let options = try await options(4)
        try await PipelineTestBroker.write(numbers: 400, keys: 40, to: options.topics[0])
        let calls = Atomic(0)
        let done = Mutex<[Int]>([])
        let test = try await PipelineHarness(
            options,
            .batches(
                BatchClosure { records in
                    if calls.add(1, ordering: .relaxed).newValue < 20 { throw SinkDown() }
                    done.withLock { $0 += records.compactMap(\.number) }
                    return records.map { _ in .done }
                }))
        try await waitUntil { done.withLock { $0.count } >= 400 }
        await test.stop()
        #expect(done.withLock { $0.sorted() } == Array(0..<400))
        #expect(test.metric("sluice_consumer_records_total{outcome=\"dead-lettered\"") ?? 0 == 0)
    }
}
