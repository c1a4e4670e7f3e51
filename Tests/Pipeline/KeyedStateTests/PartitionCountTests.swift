import Kafka
import Lifecycle
import PipelineTestSupport
import SQLite
import Telemetry
import TestSupport
import Testing

@testable import KeyedState

/// Partitions were added to a topic with keys. No member may continue with only part of the rows.
@Suite(.serialized, .timeLimit(.minutes(2))) struct PartitionCountTests {
    @Test func `a file with another number of partitions is refused`() async throws {
        let harness = try StateHarness()
        let store = try StateStore(Database(path: harness.directory.file("state")), topics: [harness.output])
        #expect(try store.partitionCount(of: harness.output, now: 2) == 2)
        #expect(try store.partitionCount(of: harness.output, now: 1) == 2)
        store.close()
        let refusal = await #expect(throws: StartupError.self) { try await harness.member() }
        #expect(refusal?.exitCode == .configuration)
        #expect(refusal?.line.contains("\(harness.output) has 1 partitions, but had 2 when") == true)
        #expect(refusal?.line.contains("a different topics.prefix") == true)
    }

    @Test func `a member's own record in a partition other than its key's ends the process`() async throws {
        let harness = try StateHarness(partitions: 2)
        let key = Array(harness.keys[0].utf8)
        let mark = RecordMark(writer: 7, number: 1, form: 0)
        let text = NumberSet(harness.keys[0], [1]).text
        let row =
            RowHeader(RowImage(encoded: text), in: text)?.text.map { [KafkaHeader(key: StateHeader.row, value: $0)] }
            ?? []
        try await harness.kafka.write([
            KafkaProducerRecord(
                topic: harness.output, partition: 1, key: key, value: NumberSet(harness.keys[0], [1]).text,
                headers: [KafkaHeader(key: RecordMark.header, value: mark.text)] + row)
        ])
        let member = try await harness.member { $0.role = .reader }
        let running = RunHarness { try await member.run() }
        let failure = try await running.failed()
        #expect(failure?.exitCode == .configuration)
        #expect(failure?.line.contains("the number of partitions of \(harness.output) was changed") == true)
        #expect(member.obstacle != nil)
        #expect(try member.parts().database.store.position(of: harness.output(1)) == nil)
        await member.end()
    }

    @Test func `a foreign record in another partition is skipped and counted`() async throws {
        let harness = try StateHarness(partitions: 2)
        let key = Array(harness.keys[0].utf8)
        try await harness.kafka.write([
            KafkaProducerRecord(
                topic: harness.output, partition: 1, key: key, value: NumberSet(harness.keys[0], [1]).text)
        ])
        let metrics = MetricsRegistry()
        let member = try await harness.member(metrics: metrics) { $0.role = .reader }
        #expect(await eventually { member.obstacle == nil })
        #expect(try await member.dump() == [])
        #expect(metrics.sum("sluice_state_misplaced_total") == 1)
        await member.end()
    }

    @Test(.enabled(if: ApacheKafka.isAvailable, "\(ApacheKafka.absence)"), arguments: ["old", "new"])
    func `no member serves reads after partitions were added on Apache Kafka, with an old or a new disk`(
        file: String
    ) async throws {
        let harness = try await StateHarness.onApacheKafka(["cleanup.policy": "compact"])
        let before = try await harness.member("old")
        try await before.partitionAssigned(harness.place())
        _ = try await before.merge((0..<8).map { NumberSet("k\($0)", [1]) }, from: harness.input)
        try await before.catchUp()
        await before.end()
        for topic in [harness.input, harness.output] {
            _ = try await ApacheKafka.shared().tool(
                "kafka-topics.sh", ["--alter", "--topic", topic.rawValue, "--partitions", "4"])
        }
        let admin = try KafkaAdmin(harness.kafka)
        try await waitUntil { (try? await admin.watermarks(of: harness.output).count) == 4 }
        await admin.close(within: .seconds(2))
        let after = harness.create(file) { _ in }
        let running = RunHarness {
            try await after.start()
            try await after.run()
        }
        let failure = try await running.failed()
        #expect(failure?.exitCode == .configuration)
        #expect(failure?.line.contains("partitions") == true)
        #expect(after.obstacle != nil)
        await after.end()
    }
}
