import Foundation
import Kafka
import PipelineTestSupport
import TestSupport
import Testing

@testable import KeyedState

/// The topic's newest offset has no record. A member must become ready nevertheless.
@Suite(.enabled(if: ApacheKafka.isAvailable, "\(ApacheKafka.absence)"), .serialized, .timeLimit(.minutes(2)))
struct StateTopicEndOnApacheKafkaTests {
    /// Does everything that a member does up to and including its first record.
    private func isReady(_ harness: StateHarness, file: String, _ number: Int) async throws {
        let member = try await harness.member(file)
        try await member.partitionAssigned(harness.place())
        #expect(await eventually { member.obstacle == nil })
        let merged = try await member.merge([NumberSet("a", [number])], from: harness.input)
        #expect(merged.changed == [NumberSet("a", Set(1...number))])
        await member.end()
    }

    private func configure(_ topic: KafkaTopic, _ setting: String) async throws {
        _ = try await ApacheKafka.shared().tool(
            "kafka-configs.sh",
            ["--alter", "--entity-type", "topics", "--entity-name", topic.rawValue, "--add-config", setting])
    }

    @Test func `a member becomes ready on a topic that ends with a transaction marker`() async throws {
        let harness = try await StateHarness.onApacheKafka(["cleanup.policy": "delete"])
        try await harness.write("a", NumberSet("a", [1]).text)
        // Records without a key, which a compacted topic rejects.
        _ = try await ApacheKafka.shared().tool(
            "kafka-producer-perf-test.sh",
            [
                "--topic", harness.output.rawValue, "--num-records", "3", "--throughput", "-1", "--record-size", "4",
                "--transaction-duration-ms", "60000", "--command-property", "acks=all",
            ])
        try await configure(harness.output, "cleanup.policy=compact")
        let records = try await harness.published()
        let ends = try #require(try await harness.ends())
        #expect(records.last?.offset.rawValue == ends.high.rawValue - 2)
        try await isReady(harness, file: "new", 2)
        try await isReady(harness, file: "new", 3)
    }

    @Test func `a member becomes ready on a topic in which all records are deleted`() async throws {
        let harness = try await StateHarness.onApacheKafka(["cleanup.policy": "delete"])
        try await harness.write("a", NumberSet("a", [1]).text)
        let member = try await harness.member("old")
        try await member.partitionAssigned(harness.place())
        await member.end()
        try await harness.write("a", NumberSet("a", [1]).text)
        let file = try harness.directory.write(
            """
            {"version": 1, "partitions": [{"topic": "\(harness.output)", "partition": 0, "offset": -1}]}
            """, to: "offsets.json")
        _ = try await ApacheKafka.shared().tool("kafka-delete-records.sh", ["--offset-json-file", file])
        let ends = try #require(try await harness.ends())
        #expect(ends.low == ends.high && ends.low == 2)
        try await isReady(harness, file: "old", 2)
    }
}
