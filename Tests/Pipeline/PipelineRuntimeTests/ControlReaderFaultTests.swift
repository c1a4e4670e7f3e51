import Kafka
import KafkaDevBroker
import KafkaTestSupport
import Lifecycle
import PipelineTestSupport
import Synchronization
import Telemetry
import TestSupport
import Testing

@testable import PipelineRuntime

/// A control topic whose records are damaged in transit.
@Suite(.timeLimit(.minutes(5)))
struct ControlReaderFaultTests {
    private static let marker = "damaged"
    private static let group: KafkaConsumerGroup = "group"

    /// Whether responses with the marker are damaged.
    private final class Damage: Sendable {
        private let isOn = Atomic(false)

        func set(_ isOn: Bool) { self.isOn.store(isOn, ordering: .relaxed) }

        func apply(to response: [UInt8]) -> [UInt8] {
            guard isOn.load(ordering: .relaxed) else { return response }
            return BatchDamage.flippedBit.apply(to: response, marker: ControlReaderFaultTests.marker)
        }
    }

    private let metrics = MetricsRegistry()
    private let log = MemoryLogSink()
    private let pause = GroupPause(ControlReaderFaultTests.group)

    private func topic() async throws -> KafkaTopic {
        let topic = KafkaTopic(rawValue: "\(try await PipelineTestBroker.options().topics[0]).control")
        try PipelineTestBroker.shared().createTopic(topic, partitions: 1)
        return topic
    }

    private func write(_ state: ControlRecord.State, _ reason: String, to topic: KafkaTopic) async throws {
        let record = try #require(ControlRecord(state: state, reason: reason, author: "ann", atMilliseconds: 0))
        try await PipelineTestBroker.configuration(["compression.codec": "none"])
            .write([record.produced(to: topic, for: Self.group)])
    }

    private func reader(_ topic: KafkaTopic, through proxy: KafkaProxy) throws -> ControlReader {
        let logger = Logger(label: "test", level: .debug, format: .json, sink: log)
        return ControlReader(
            kafka: try KafkaConfiguration(bootstrapServers: proxy.bootstrapServers, profile: .embedded), topic: topic,
            subjects: [ControlReader.Subject(pause: pause, logger: logger)], metrics: metrics, logger: logger,
            retryInterval: .milliseconds(20))
    }

    private var isReading: Bool {
        String(decoding: metrics.prometheusText(), as: UTF8.self).contains("sluice_consumer_control_reading 1\n")
    }

    @Test func `while the topic cannot be read, the group keeps its state and the failure is reported`() async throws {
        let (topic, damage) = (try await topic(), Damage())
        let proxy = try KafkaProxy(to: PipelineTestBroker.shared().bootstrapServers) { damage.apply(to: $0) }
        defer { proxy.close() }
        try await write(.paused, "maintenance", to: topic)
        let reader = try reader(topic, through: proxy)
        try await reader.start()
        #expect(pause.isPaused && isReading && reader.problem == nil)
        let running = RunHarness { try await reader.run() }

        damage.set(true)
        try await write(.running, Self.marker, to: topic)
        try await waitUntil { reader.problem != nil }
        #expect(!isReading && pause.isPaused)
        #expect(log.lines.contains { $0.contains("failed to read the control topic") && $0.contains("\(topic)") })

        damage.set(false)
        try await waitUntil { reader.problem == nil }
        #expect(isReading && !pause.isPaused)
        // The topic was read again from its beginning, but its first record paused the group only once.
        #expect(log.lines.count { $0.contains("group paused") } == 1)
        await reader.stop(within: .seconds(5))
        running.end()
    }

    @Test func `a process does not start while it is unknown whether its group is paused`() async throws {
        let (topic, damage) = (try await topic(), Damage())
        let proxy = try KafkaProxy(to: PipelineTestBroker.shared().bootstrapServers) { damage.apply(to: $0) }
        defer { proxy.close() }
        damage.set(true)
        try await write(.paused, Self.marker, to: topic)
        let reader = try reader(topic, through: proxy)
        let failure = await #expect(throws: StartupError.self) { try await reader.start() }
        let line = try #require(failure).line
        for part in ["\(topic)", "sluicectl topics apply", "sluicectl topics acls"] { #expect(line.contains(part)) }
    }
}
