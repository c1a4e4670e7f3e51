import Kafka
import PipelineTestSupport
import Synchronization
import Telemetry
import TestSupport
import Testing

@testable import PipelineRuntime

private let maintenance = ControlRecord(state: .paused, reason: "maintenance", author: "ann", atMilliseconds: 0)

/// Handles records with any kind of handler, and pauses the group from within a call.
private final class PausingHandler: RecordHandler, BatchHandler, FlushingHandler {
    enum Kind: CaseIterable { case records, batches, appends }

    private struct State {
        var handled: [Int] = []
        var appended: [Int] = []
        var startedWhilePaused = 0
    }

    private let state = Mutex(State())
    private let pause: GroupPause
    private let number: Int

    /// - Parameter number: the number of the record whose handler call pauses the group.
    init(_ pause: GroupPause, at number: Int) {
        self.pause = pause
        self.number = number
    }

    func handler(_ kind: Kind) -> PipelineHandler {
        switch kind {
        case .records: .records(self)
        case .batches: .batches(self)
        case .appends: .flushing(self)
        }
    }

    /// The numbers of the records whose effect is durable, in the order of their calls.
    var handled: [Int] { state.withLock(\.handled) }
    /// The number of records that the handler has received.
    var received: Int { state.withLock { $0.handled.count + $0.appended.count } }
    /// The number of calls that began after the pause.
    var startedWhilePaused: Int { state.withLock(\.startedWhilePaused) }

    private func note(_ records: [KafkaRecord], _ keep: (inout State, [Int]) -> Void) {
        let numbers = records.compactMap(\.number)
        state.withLock { state in
            if pause.isPaused { state.startedWhilePaused += 1 }
            keep(&state, numbers)
        }
        if numbers.contains(number) { _ = pause.set(maintenance) }
    }

    func handle(_ record: KafkaRecord) async throws -> HandlerVerdict {
        note([record]) { $0.handled += $1 }
        return .done
    }

    func handle(_ records: [KafkaRecord]) async throws -> [HandlerVerdict] {
        note(records) { $0.handled += $1 }
        return records.map { _ in .done }
    }

    func append(_ records: [KafkaRecord]) async throws -> [HandlerVerdict] {
        note(records) { $0.appended += $1 }
        return records.map { _ in .done }
    }

    func flush(_ partition: KafkaTopicPartition) async throws {
        state.withLock { state in
            state.handled += state.appended
            state.appended = []
        }
    }

    func partitionAssigned(_ partition: KafkaTopicPartition) async throws {}
    func partitionAssigned(_ partition: KafkaTopicPartition, startingAt start: KafkaOffset) async throws {}
    func partitionReleased(_ partition: KafkaTopicPartition) async {}
}

/// Pauses of a pipeline, on the embedded broker.
@Suite(.timeLimit(.minutes(5)))
struct PauseTests {
    @Test(arguments: PausingHandler.Kind.allCases)
    fileprivate func `a pause lets the running call finish, starts no others, and keeps every offset`(
        _ kind: PausingHandler.Kind
    ) async throws {
        var options = try await PipelineTestBroker.options()
        options.concurrency = 1
        options.maximumBatch = 1
        // Neither the number of records nor the interval causes a flush before the pause.
        options.flushInterval = .seconds(3600)
        try await PipelineTestBroker.write(numbers: 500, keys: 1, to: options.topics[0])
        let pause = GroupPause(options.group)
        let handler = PausingHandler(pause, at: 49)
        let test = try await PipelineHarness(options, handler.handler(kind), pause: pause)
        let partition = KafkaTopicPartition(topic: options.topics[0], partition: 0)
        try await waitUntil { pause.isPaused && test.handled.next(of: partition) == 50 }
        #expect(test.metric("sluice_consumer_paused{group=\"\(options.group)\"}") == 1)
        // The client reports the lag, so it is alive, and records written after the pause are counted but not handled.
        try await PipelineTestBroker.write(numbers: 20, keys: 1, to: options.topics[0])
        try await waitUntil { test.metric("sluice_consumer_lag_records") == 470 }
        #expect(handler.handled == Array(0..<50))
        #expect(handler.startedWhilePaused == 0)
        #expect(test.metric("sluice_consumer_oldest_unfinished_seconds") == 0)
        #expect(test.pipeline.obstacle == nil)

        _ = pause.set(nil)
        // Without a pause, the appended records are flushed when the process stops.
        try await waitUntil { handler.received == 520 }
        await test.stop()
        #expect(handler.handled == Array(0..<500) + Array(0..<20))
        #expect(test.metric("sluice_consumer_rebalances_total{kind=\"assigned\"}") == 1)
        #expect(test.metric("sluice_consumer_rebalances_total{kind=\"lost\"}") == 0)
    }

    @Test func `a record that is retried waits for the resumption`() async throws {
        let options = try await PipelineTestBroker.options()
        try await PipelineTestBroker.write(numbers: 1, keys: 1, to: options.topics[0])
        let pause = GroupPause(options.group)
        let handler = RecordingHandler { _, number in
            guard number == 3 else { return number < 3 ? .retry(after: .milliseconds(1)) : .done }
            _ = pause.set(maintenance)
            return .retry(after: .milliseconds(1))
        }
        let test = try await PipelineHarness(options, .records(handler), pause: pause)
        try await waitUntil { test.metric("sluice_consumer_lag_records") == 1 && pause.isPaused }
        #expect(handler.calls(for: 0) == 3)
        _ = pause.set(nil)
        try await waitUntil { handler.finished.count == 1 }
        await test.stop()
        #expect(handler.calls(for: 0) == 4)
    }

    @Test func `a paused member releases its partitions immediately, and another member continues where it stopped`()
        async throws
    {
        var options = try await PipelineTestBroker.options(partitions: 2)
        options.drainLimit = .seconds(60)
        try await PipelineTestBroker.write(numbers: 200, keys: 10, to: options.topics[0])
        let pause = GroupPause(options.group)
        let first = RecordingHandler { _, _ in
            _ = pause.set(maintenance)
            return .done
        }
        let one = try await PipelineHarness(options, .records(first), pause: pause)
        try await waitUntil { one.metric("sluice_consumer_assigned_partitions") == 2 && !first.finished.isEmpty }
        let second = RecordingHandler()
        let other = try await PipelineHarness(options, .records(second))
        try await waitUntil { !second.finished.isEmpty }
        await one.stop()
        try await waitUntil { Set((first.finished + second.finished).compactMap(\.number)).count == 200 }
        await other.stop()
        // A call that began before the pause is repeated if an earlier record in its partition was not handled.
        #expect(first.finished.count + second.finished.count < 200 + options.concurrency)
    }
}
