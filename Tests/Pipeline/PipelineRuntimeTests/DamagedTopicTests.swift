import Kafka
import KafkaDevBroker
import KafkaTestSupport
import Lifecycle
import PipelineTestSupport
import Telemetry
import TestSupport
import Testing

@testable import PipelineRuntime

/// A pipeline with a damaged batch in its input. Earlier records must not be lost, and no record may be skipped.
@Suite(.timeLimit(.minutes(5)))
struct DamagedTopicTests {
    private static let marker = "damaged"

    @Test(arguments: [BatchDamage.flippedBit, .unknownMagic])
    func `the process ends once everything before the corruption is finished and committed`(damage: BatchDamage)
        async throws
    {
        let options = try await PipelineTestBroker.options()
        try await Self.write((0..<20).map { "\($0)" } + [Self.marker, "behind"], to: options.topics[0])
        let proxy = try KafkaProxy(to: PipelineTestBroker.shared().bootstrapServers) {
            damage.apply(to: $0, marker: Self.marker)
        }
        defer { proxy.close() }
        let gate = Gate()
        let handler = RecordingHandler { _, _ in
            await gate.pass()
            return .done
        }
        let test = try await PipelineHarness(
            options, .records(handler),
            reading: KafkaConfiguration(bootstrapServers: proxy.bootstrapServers, profile: .embedded))
        let running = RunHarness { try await test.pipeline.run() }
        try await waitUntil { test.log.lines.contains { $0.contains("topic partition is damaged") } }
        #expect(handler.finished.isEmpty)
        gate.open()
        let failure = try await running.failed()
        #expect(failure?.exitCode == .damagedLog)
        #expect(failure?.line.contains("runbooks/damaged-log.md") == true)
        await test.stop()
        #expect(handler.finished.compactMap(\.number) == Array(0..<20))

        // The bit was flipped in transit, so the next start reads the intact log.
        let second = RecordingHandler()
        let again = try await PipelineHarness(options, .records(second))
        try await waitUntil { second.finished.count == 2 }
        await again.stop()
        #expect(second.finished.map { String(decoding: $0.value ?? [], as: UTF8.self) } == [Self.marker, "behind"])
    }

    /// Writes one uncompressed batch per value.
    private static func write(_ values: [String], to topic: KafkaTopic) async throws {
        let records = values.map { KafkaProducerRecord(topic: topic, key: [1], value: Array($0.utf8)) }
        let kafka = try PipelineTestBroker.configuration(["compression.codec": "none"])
        try await kafka.write(records)
    }
}
