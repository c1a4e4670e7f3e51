import Kafka
import KafkaDevBroker
import OperatorEventsTestSupport
import PipelineRuntime
import PipelineTestSupport
import Synchronization
import Telemetry
import TestSupport
import Testing

@testable import KeyedState

/// Rows that cannot be published, and their effect on their records and on all others.
@Suite(.serialized, .timeLimit(.minutes(2))) struct StateRefusalTests {
    @Test func `the record of an oversized state is dead-lettered, and others of its batch are done`() async throws {
        let harness = try StateHarness()
        let member = try await harness.member(model: NumberSetModel(padding: 1_100_000))
        try await member.partitionAssigned(harness.place())
        let handler = KeyedStateHandler(member) { record in
            record.value.flatMap(NumberSet.init).map { .state($0) } ?? .verdict(.skip("none"))
        }
        let records = ["b=1", "a=1,2,3", "b=2"].enumerated().map { offset, text in
            KafkaRecord(
                topic: harness.input, partition: 0, offset: KafkaOffset(rawValue: Int64(offset)), key: nil,
                value: Array(text.utf8))
        }
        let verdicts = try await handler.handle(records)
        #expect(verdicts.map(\.code) == ["done", "state_too_large", "done"])
        #expect(try await harness.lastValues() == ["b": "b=1,2"])
        await member.end()
    }

    @Test func `rows that are refused together are published in halves until all are acknowledged`() async throws {
        let broker = try DevBroker()
        let harness = try StateHarness(on: broker)
        let metrics = MetricsRegistry()
        let member = try await harness.member(metrics: metrics)
        try await member.partitionAssigned(harness.place())
        try broker.failNext(.produce, with: [.invalidTimestamp, .recordRejected])
        let sets = (0..<6).map { NumberSet("k\($0)", [$0]) }
        let merged = try await member.merge(sets, from: harness.input)
        #expect(merged.faults.isEmpty && merged.changed.count == 6)
        #expect(try await harness.lastValues().count == 6)
        #expect(metrics.sum("sluice_state_refused_rows") == 0)
        #expect(try member.parts().database.store.oversized(harness.output()).isEmpty)
        await member.end()
        await broker.stop()
    }

    @Test func `a row that is refused on its own is kept, counted, and published on a later attempt`() async throws {
        let broker = try DevBroker()
        let harness = try StateHarness(on: broker)
        let (metrics, log) = (MetricsRegistry(), MemoryLogSink())
        let member = try await harness.member(metrics: metrics, log: log)
        try await member.partitionAssigned(harness.place())
        try broker.failNext(.produce, with: [.invalidTimestamp])
        let merged = try await member.merge([NumberSet("a", [1])], from: harness.input)
        let refusal = try #require(merged.faults[0] as? RowRefusal)
        #expect(refusal.reason.code == "state_refused" && merged.changed.isEmpty)
        #expect(metrics.sum("sluice_state_refused_total") == 1 && metrics.sum("sluice_state_refused_rows") == 1)
        #expect(metrics.sum("sluice_state_oversized_rows") == 0)
        #expect(log.lines.contains { $0.contains("brokers refused a state row") })
        _ = try await member.merge([NumberSet("b", [1])], from: harness.input)
        #expect(try await harness.lastValues() == ["b": "b=1"])
        harness.now.store(62_000, ordering: .relaxed)
        #expect(await eventually { (try? await harness.lastValues()) == ["a": "a=1", "b": "b=1"] })
        #expect(await eventually { metrics.sum("sluice_state_refused_rows") == 0 })
        await member.end()
        await broker.stop()
    }

    @Test func `a row that shares a refused batch with another merge is published again`() async throws {
        let broker = try DevBroker()
        let harness = try StateHarness(on: broker)
        let metrics = MetricsRegistry()
        let member = try await harness.member(metrics: metrics)
        try await member.partitionAssigned(harness.place())
        // Both merges are outstanding when the partition has a leader again.
        try broker.setLeader(of: harness.output(), to: nil)
        let partition = try member.partition(harness.output())
        let deliveries = try ["a", "b"].flatMap { try partition.merge([NumberSet($0, [1])], at: 0).deliveries }
        try broker.failNext(.produce, with: [.recordRejected])
        try broker.setLeader(of: harness.output(), to: 1)
        try await member.settle(deliveries)
        #expect(deliveries.count == 2 && deliveries.allSatisfy { $0.refusals?.isEmpty ?? true })
        #expect(try await harness.lastValues() == ["a": "a=1", "b": "b=1"])
        #expect(metrics.sum("sluice_state_refused_total") == 0 && metrics.sum("sluice_state_refused_rows") == 0)
        #expect(try member.parts().database.store.oversized(harness.output()).isEmpty)
        await member.end()
        await broker.stop()
    }

    @Test func `a refused row causes one operator event for each content, even after a restart`() async throws {
        let broker = try DevBroker()
        let harness = try StateHarness(on: broker)
        let (recorded, metrics) = (RecordedEvents(), MetricsRegistry())
        let model = NumberSetModel(padding: 1_100_000)
        var member = try await harness.member(model: model, metrics: metrics, events: recorded.events)
        try await member.partitionAssigned(harness.place())
        _ = try await member.merge([NumberSet("a", [1, 2, 3])], from: harness.input)
        #expect(recorded.lines.count == 1)
        #expect(recorded.lines.first?.hasPrefix(#"state.row_refused a {"topic":"#) == true, "\(recorded.lines)")
        #expect(recorded.lines.first?.contains(#""partition":0,"reason":"too_large","bytes":"#) == true)
        // The row is tried again and refused again.
        harness.now.store(62_000, ordering: .relaxed)
        #expect(await eventually { metrics.sum("sluice_state_oversized_total") >= 2 })
        #expect(recorded.lines.count == 1)
        await member.end()

        let later = MetricsRegistry()
        member = try await harness.member(model: model, metrics: later, events: recorded.events)
        try await member.partitionAssigned(harness.place())
        #expect(await eventually { later.sum("sluice_state_oversized_total") >= 1 })
        #expect(recorded.lines.count == 1)
        _ = try await member.merge([NumberSet("a", [4, 5, 6])], from: harness.input)
        #expect(recorded.lines.count == 2)
        await member.end()
        await broker.stop()
    }

    @Test func `a record with a refused derived update is dead-lettered, but its own row is published`() async throws {
        let broker = try DevBroker()
        let harness = try StateHarness(on: broker)
        let member = try await harness.member(model: NumberSetModel(successors: ["a": "b"]))
        try await member.partitionAssigned(harness.place())
        try broker.failNext(.produce, with: [.recordRejected])
        let merged = try await member.merge([NumberSet("a", [1])], from: harness.input)
        #expect(merged.faults[0] is RowRefusal)
        #expect(try await harness.lastValues() == ["a": "a=1"])
        await member.end()
        await broker.stop()
    }

    @Test func `a transient failure is not a refusal`() async throws {
        let broker = try DevBroker()
        let harness = try StateHarness(on: broker)
        let member = try await harness.member()
        try await member.partitionAssigned(harness.place())
        // INVALID_REQUIRED_ACKS concerns the request, not a record.
        try broker.failNext(.produce, with: [KafkaError.Code(rawValue: 21)])
        await #expect(throws: StateError.self) {
            _ = try await member.merge([NumberSet("a", [1])], from: harness.input)
        }
        #expect(try await member.merge([NumberSet("a", [1])], from: harness.input).faults.isEmpty)
        #expect(try await harness.lastValues() == ["a": "a=1"])
        await member.end()
        await broker.stop()
    }
}

extension HandlerVerdict {
    var code: String {
        switch self {
        case .done: "done"
        case .skip(let reason): "skip \(reason.code)"
        case .retry: "retry"
        case .deadLetter(let reason): reason.code
        }
    }
}
