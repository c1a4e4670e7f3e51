import Kafka
import PipelineTestSupport
import Synchronization
import Telemetry
import TestSupport
import Testing

@testable import PipelineRuntime

private struct SinkDown: InfrastructureFault {}

/// Records the appended values and the ones that each flush made durable.
private final class Segments: FlushingHandler {
    struct State {
        var open: [Int] = []
        var segments: [[Int]] = []
        var failures = 0
    }

    let state = Mutex(State())
    let verdict: @Sendable (Int) throws -> HandlerVerdict

    init(failures: Int = 0, _ verdict: @escaping @Sendable (Int) throws -> HandlerVerdict = { _ in .done }) {
        self.verdict = verdict
        state.withLock { $0.failures = failures }
    }

    var open: [Int] { state.withLock { $0.open } }
    var segments: [[Int]] { state.withLock { $0.segments } }

    func append(_ records: [KafkaRecord]) async throws -> [HandlerVerdict] {
        let verdicts = try records.map { try verdict($0.number ?? -1) }
        let appended = zip(records, verdicts).filter { $1 == .done }.compactMap(\.0.number)
        state.withLock { $0.open += appended }
        return verdicts
    }

    func flush(_ partition: KafkaTopicPartition) async throws {
        try state.withLock { state in
            if state.failures > 0 {
                state.failures -= 1
                throw SinkDown()
            }
            state.segments.append(state.open)
            state.open = []
        }
    }

    func partitionReleased(_ partition: KafkaTopicPartition) async { state.withLock { $0.open = [] } }
}

@Suite(.timeLimit(.minutes(5)))
struct FlushingTests {
    private func options() async throws -> PipelineOptions {
        var options = try await PipelineTestBroker.options()
        options.flushInterval = .seconds(3600)
        options.maximumBatch = 7
        return options
    }

    @Test func `records become durable in flushes by size, and the rest at the stop`() async throws {
        var options = try await options()
        options.flushRecords = 40
        try await PipelineTestBroker.write(numbers: 100, keys: 5, to: options.topics[0])
        let handler = Segments()
        let test = try await PipelineHarness(options, .flushing(handler))
        try await waitUntil { handler.segments.count == 2 && handler.open.count == 20 }
        #expect(test.metric("sluice_consumer_records_total{outcome=\"done\"") == 80)
        await test.stop()
        #expect(handler.segments.map(\.count) == [40, 40, 20])
        #expect(handler.segments.flatMap(\.self) == Array(0..<100))
        // No record is delivered again.
        try await PipelineTestBroker.write(numbers: 1, keys: 1, to: options.topics[0])
        let next = Segments()
        let again = try await PipelineHarness(options, .flushing(next))
        try await waitUntil { next.open == [0] }
        await again.stop()
    }

    @Test func `records that were appended but not flushed are delivered again`() async throws {
        var options = try await options()
        options.drainLimit = .milliseconds(300)
        try await PipelineTestBroker.write(numbers: 10, keys: 1, to: options.topics[0])
        // No flush succeeds, so the drain limit ends the last attempt.
        let lost = Segments(failures: .max)
        let test = try await PipelineHarness(options, .flushing(lost))
        try await waitUntil { lost.open.count == 10 }
        await test.stop()
        #expect(lost.segments.isEmpty)
        #expect(lost.state.withLock { $0.failures } < .max)
        #expect(lost.open.isEmpty)
        let next = Segments()
        let again = try await PipelineHarness(options, .flushing(next))
        try await waitUntil { next.open == Array(0..<10) }
        await again.stop()
        #expect(next.segments == [Array(0..<10)])
    }

    @Test func `the interval and the byte limit also cause flushes`() async throws {
        var options = try await options()
        options.flushInterval = .milliseconds(10)
        try await PipelineTestBroker.write(numbers: 3, keys: 1, to: options.topics[0])
        let byTime = Segments()
        let test = try await PipelineHarness(options, .flushing(byTime))
        try await waitUntil { byTime.segments.flatMap(\.self) == [0, 1, 2] }
        await test.stop()

        options = try await self.options()
        options.flushBytes = 50
        try await PipelineTestBroker.write(numbers: 100, keys: 1, to: options.topics[0])
        let bySize = Segments()
        let other = try await PipelineHarness(options, .flushing(bySize))
        try await waitUntil { bySize.segments.count > 5 }
        await other.stop()
        let durable = bySize.segments.flatMap(\.self)
        #expect(durable == Array(0..<durable.count))
    }

    @Test func `a record is not overdue until its flush is`() async throws {
        var options = try await options()
        try await PipelineTestBroker.write(numbers: 3, keys: 1, to: options.topics[0])
        let waiting = Segments()
        let test = try await PipelineHarness(options, .flushing(waiting))
        try await waitUntil { waiting.open.count == 3 }
        #expect(test.metric("sluice_consumer_unfinished_records") == 3)
        #expect(test.metric("sluice_consumer_oldest_unfinished_seconds") == 0)
        await test.stop()

        options = try await self.options()
        options.flushInterval = .milliseconds(10)
        options.drainLimit = .milliseconds(300)
        try await PipelineTestBroker.write(numbers: 3, keys: 1, to: options.topics[0])
        let failing = Segments(failures: .max)
        let other = try await PipelineHarness(options, .flushing(failing))
        try await waitUntil { other.metric("sluice_consumer_oldest_unfinished_seconds") ?? 0 > 0 }
        await other.stop()
    }

    @Test func `a failed flush is retried, and a record that cannot be appended is dead-lettered`() async throws {
        var options = try await options()
        options.flushRecords = 10
        try await PipelineTestBroker.write(numbers: 11, keys: 1, to: options.topics[0])
        struct Poison: Error {}
        let handler = Segments(failures: 3) { number in
            if number == 4 { throw Poison() }
            return number == 5 ? .deadLetter("five") : number == 6 ? .skip("six") : .done
        }
        let test = try await PipelineHarness(options, .flushing(handler))
        try await waitUntil { handler.open.count == 8 }
        await test.stop()
        #expect(handler.segments == [[0, 1, 2, 3, 7, 8, 9, 10]])
        #expect(test.metric("sluice_consumer_records_total{outcome=\"skipped\"") == 1)
        #expect(test.log.lines.contains { $0.contains("flush failed; retrying") })
        let letters = try await PipelineTestBroker.deadLetters(options).compactMap(\.number)
        #expect(letters.sorted() == [4, 5])
        #expect(test.metric("sluice_consumer_records_total{outcome=\"done\"") == 8)
    }
}
