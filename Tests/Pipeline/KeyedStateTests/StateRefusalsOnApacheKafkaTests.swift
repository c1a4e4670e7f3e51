import Kafka
import KeyedState
import PipelineTestSupport
import Telemetry
import TestSupport
import Testing

/// Brokers refuse some rows because of the topic's settings. The other rows must not be blocked.
@Suite(.enabled(if: ApacheKafka.isAvailable, "\(ApacheKafka.absence)"), .serialized, .timeLimit(.minutes(5)))
struct StateRefusalsOnApacheKafkaTests {
    private let model = NumberSetModel(erases: true)

    @Test func `an old erasure is published with its effective time where old timestamps are refused`() async throws {
        let harness = try await StateHarness.onApacheKafka([
            "cleanup.policy": "compact", "message.timestamp.before.max.ms": "3600000",
        ])
        let member = try await harness.member(model: model)
        try await member.partitionAssigned(harness.place())
        let merging = Progressing { _ = try await member.merge([NumberSet("a", [0, 1_000])], from: harness.input) }
        #expect(await merging.ends(within: .seconds(30)))
        await member.end()
        let tombstone = try #require(try await harness.published().last)
        #expect(tombstone.value == nil && tombstone.timestampMilliseconds ?? 0 > 1_000_000)
        // Another member reads the effective time of the erasure, not the record's timestamp.
        let other = try await harness.member("other", model: model)
        #expect(await eventually { (try? await other.dump()) == ["a=0,1000"] })
        await other.end()
    }

    @Test func `a row that the topic refuses does not affect the others of its batch`() async throws {
        let harness = try await StateHarness.onApacheKafka([
            "cleanup.policy": "compact", "max.message.bytes": "20000",
        ])
        let metrics = MetricsRegistry()
        // Sets of more than two numbers have 100 KB.
        let member = try await harness.member(model: NumberSetModel(padding: 100_000), metrics: metrics)
        try await member.partitionAssigned(harness.place())
        let sets = (0..<20).map { NumberSet("small-\($0)", [$0]) } + [NumberSet("large", [1, 2, 3])]
        let merging = Progressing { _ = try await member.merge(sets, from: harness.input) }
        #expect(await merging.ends(within: .seconds(30)))
        #expect(try await harness.lastValues().count == 20)
        #expect(metrics.sum("sluice_state_oversized_rows") == 1)
        // Later records are processed.
        let next = Progressing { _ = try await member.merge([NumberSet("next", [1])], from: harness.input) }
        #expect(await next.ends(within: .seconds(30)))
        #expect(try await harness.lastValues()["next"] == "next=1")
        await member.end()
    }
}
