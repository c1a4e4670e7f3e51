import Kafka
import KafkaDevBroker
import PipelineTestSupport
import Telemetry
import TestSupport
import Testing

@testable import OperatorEvents

/// The producer of operator events, on the embedded broker.
@Suite(.timeLimit(.minutes(1))) struct OperatorEventServiceTests {
    private static let topic: KafkaTopic = "test.operations"

    /// A member's service.
    private struct Member {
        let log = MemoryLogSink()
        let metrics = MetricsRegistry()
        let service: OperatorEventService

        init(_ kafka: KafkaConfiguration) throws {
            service = try OperatorEventService(
                OperatorEventMember(executable: "sluice-webhooks", instance: "host:1", release: "0.2.0"), topic: topic,
                kafka: kafka,
                logger: Logger(label: "test", level: .info, format: .json, sink: log), metrics: metrics)
        }

        func metric(_ name: String) -> String? {
            String(decoding: metrics.prometheusText(), as: UTF8.self).split(separator: "\n")
                .first { $0.hasPrefix("\(name) ") }?.split(separator: " ").last.map(String.init)
        }
    }

    private func types(_ kafka: KafkaConfiguration) async throws -> [String] {
        try await kafka.records(of: [Self.topic], partitions: 1).compactMap { $0.header("ce_type")?.text }
    }

    @Test func `a member that has started publishes its start and its stop, once each`() async throws {
        let broker = try DevBroker(topics: [Self.topic: 1])
        let kafka = try KafkaConfiguration(bootstrapServers: broker.bootstrapServers, profile: .embedded)
        let member = try Member(kafka)
        try await member.service.start()
        member.service.announceStart()
        member.service.announceStart()
        await member.service.stop(within: .seconds(10))
        #expect(try await types(kafka) == ["dev.sluice.member.started", "dev.sluice.member.stopped"])
        #expect(member.metric("sluice_operator_events_total") == "2")
        #expect(member.metric("sluice_operator_events_dropped_total") == "0")
    }

    @Test func `a member that never started publishes no stop`() async throws {
        let broker = try DevBroker(topics: [Self.topic: 1])
        let kafka = try KafkaConfiguration(bootstrapServers: broker.bootstrapServers, profile: .embedded)
        let member = try Member(kafka)
        await member.service.stop(within: .seconds(10))
        #expect(try await types(kafka) == [])
    }

    @Test func `two events have different ids`() async throws {
        let broker = try DevBroker(topics: [Self.topic: 1])
        let kafka = try KafkaConfiguration(bootstrapServers: broker.bootstrapServers, profile: .embedded)
        let member = try Member(kafka)
        for _ in 0..<2 { member.service.events.publish(.memberStarted) }
        await member.service.stop(within: .seconds(10))
        let records = try await kafka.records(of: [Self.topic], partitions: 1)
        #expect(Set(records.compactMap { $0.header("ce_id")?.text }).count == 2)
    }

    @Test func `an event that is too large is dropped, counted and logged`() async throws {
        let broker = try DevBroker(topics: [Self.topic: 1])
        let kafka = try KafkaConfiguration(bootstrapServers: broker.bootstrapServers, profile: .embedded)
        let member = try Member(kafka)
        member.service.events.publish(
            .memberStarted, data: ["text": .text(String(repeating: "x", count: 16_384))])
        await member.service.stop(within: .seconds(10))
        #expect(try await types(kafka) == [])
        #expect(member.metric("sluice_operator_events_dropped_total") == "1")
        #expect(member.log.lines.contains { $0.contains("operator event dropped") })
    }

    @Test func `at most 1000 events wait for their acknowledgement; further ones are dropped`() async throws {
        let broker = try DevBroker(topics: [Self.topic: 1])
        try broker.setRoundTripTime(.seconds(3))
        let member = try Member(KafkaConfiguration(bootstrapServers: broker.bootstrapServers, profile: .embedded))
        for _ in 0..<1_003 { member.service.events.publish(.memberStarted) }
        #expect(member.metric("sluice_operator_events_dropped_total") == "3")
        await member.service.stop(within: .seconds(1))
    }

    @Test func `without a broker, events are dropped, and a stop takes seconds`() async throws {
        let member = try Member(KafkaConfiguration(bootstrapServers: "127.0.0.1:1", profile: .embedded))
        for _ in 0..<3 { member.service.events.publish(.memberStarted) }
        let start = ContinuousClock.now
        await member.service.stop(within: .seconds(60))
        #expect(ContinuousClock.now - start < .seconds(30))
        #expect(member.metric("sluice_operator_events_dropped_total") == "3")
        #expect(member.metric("sluice_operator_events_total") == "0")
    }
}
