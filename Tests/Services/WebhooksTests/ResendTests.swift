import Configuration
import HTTPClient
import HTTPServer
import JSON
import Kafka
import Lifecycle
import PipelineTestSupport
import Primitives
import Synchronization
import Telemetry
import TestSupport
import Testing

@testable import Webhooks

/// The actions of `sluicectl webhooks`, on the embedded broker with a receiver in this process.
@Suite(.timeLimit(.minutes(5))) struct ResendTests {
    private let installation: Installation

    init() async throws { installation = try await Installation() }

    private func settings(_ receiver: Receiver, _ further: [String] = []) throws -> Configuration {
        try configuration(installation.arguments(url: receiver.url) + further)
    }

    @Test func `a record is posted again with the same body under the same id`() async throws {
        try await installation.write(states: 3, keys: 1)
        let receiver = try Receiver()
        let webhooks = try await RunningWebhooks(installation.arguments(url: receiver.url))
        try await waitUntil { receiver.accepted.count == 3 }
        #expect(await webhooks.stop() == .ok)
        let second = try #require(receiver.accepted.first { $0.state == "key-0:1" })
        let attempt = try await WebhooksOperations.resend(
            try #require(second.id), settings(receiver), kafka: installation.kafka)
        #expect(attempt.isAccepted)
        #expect(attempt.status == 204)
        let again = try #require(receiver.deliveries.last)
        #expect(receiver.deliveries.count == 4)
        #expect(again.id == second.id)
        #expect(again.body == second.body)
        #expect(again.isSigned(with: TestKey.first))
    }

    @Test func `a foreign id and an id without a record are reported differently`() async throws {
        try await installation.write(states: 1, keys: 1)
        let receiver = try Receiver()
        let settings = try settings(receiver)
        func failure(_ id: String) async -> StartupError? {
            await #expect(throws: StartupError.self) {
                _ = try await WebhooksOperations.resend(id, settings, kafka: installation.kafka)
            }
        }
        #expect(await failure("msg_p5jXN8AQM9LWM0D4loKWxJek")?.exitCode == .usage)
        #expect(await failure("appstore_entitlements_production-0-0-0-0123456789abcdef")?.exitCode == .usage)
        #expect(await failure("state-production-0-1-2-3")?.line.contains("no longer has a record with this id") == true)
        #expect(receiver.deliveries.isEmpty)
    }

    @Test func `dead letters since a time are posted again under their former ids`() async throws {
        try await installation.write(states: 20, keys: 10)
        let isRepaired = Atomic(false)
        let receiver = try Receiver { delivery, _ in
            delivery.state.hasPrefix("key-4:") && !isRepaired.load(ordering: .relaxed) ? .status(422) : .accepted
        }
        let webhooks = try await RunningWebhooks(
            installation.arguments(url: receiver.url) + ["--consumer.attempts", "1"])
        try await waitUntil { receiver.accepted.count == 18 }
        try await waitUntil { webhooks.metric("sluice_consumer_records_total{outcome=\"dead-lettered\"") == 2 }
        #expect(await webhooks.stop() == .ok)
        let refused = receiver.deliveries.filter { $0.state.hasPrefix("key-4:") }
        let topic = installation.production.deadLetters(of: "sluice-webhooks")
        func resend(since: Int64?) async throws -> [FailedDeliveries.Outcome] {
            var outcomes: [FailedDeliveries.Outcome] = []
            try await WebhooksOperations.resend(
                FailedDeliveries(topic: topic, since: since, rate: 1_000), settings(receiver),
                kafka: installation.kafka
            ) { outcomes.append($0) }
            return outcomes
        }
        #expect(try await resend(since: SystemClock.wallMilliseconds() + 60_000).isEmpty)
        #expect(try await resend(since: nil).map(\.isAccepted) == [false, false])
        isRepaired.store(true, ordering: .relaxed)
        let outcomes = try await resend(since: SystemClock.wallMilliseconds() - 600_000)
        #expect(outcomes.map(\.isAccepted) == [true, true])
        let again = receiver.deliveries.suffix(2)
        #expect(again.map(\.id) == refused.map(\.id) && again.map(\.body) == refused.map(\.body))
        // A dead letter without its value contains no message.
        try await installation.write([
            KafkaProducerRecord(
                topic: topic, key: nil, value: nil,
                headers: [
                    KafkaHeader(key: "__connect.errors.topic", text: installation.production.rawValue),
                    KafkaHeader(key: "__connect.errors.partition", text: "1"),
                    KafkaHeader(key: "__connect.errors.offset", text: "7"),
                    KafkaHeader(key: "sluice.dlq.omitted", text: "value"),
                ])
        ])
        let texts = try await resend(since: nil).map(\.text)
        #expect(texts.contains { $0.contains("skipped") && $0.contains("1-7") })
    }

    @Test func `a test message is signed and concerns no purchase`() async throws {
        let receiver = try Receiver { _, number in number == 1 ? .accepted : .status(401) }
        let settings = try settings(receiver)
        #expect(try await WebhooksOperations.test(settings).isAccepted)
        let refused = try await WebhooksOperations.test(settings)
        #expect(!refused.isAccepted)
        #expect(refused.text == "the receiver responded 401")
        #expect(receiver.deliveries.allSatisfy { $0.message["type"] == "sluice.test" })
        #expect(receiver.deliveries.allSatisfy { $0.isSigned(with: TestKey.first) })
        let signed = try self.settings(receiver, ["--webhooks.content", "signed"])
        let error = await #expect(throws: StartupError.self) { _ = try await WebhooksOperations.test(signed) }
        #expect(error?.setting == "webhooks.content")
    }

    @Test func `the admin listener shows the attempts`() async throws {
        try await installation.write(states: 2, keys: 1)
        let receiver = try Receiver { _, number in number == 1 ? .status(503) : .accepted }
        let webhooks = try await RunningWebhooks(installation.arguments(url: receiver.url))
        try await waitUntil { webhooks.attempts(.accepted) == 2 }
        let client = HTTPClient()
        defer { client.close() }
        let port = try #require(webhooks.adminPort)
        let response = try await client.send(HTTPClientRequest(url: "http://127.0.0.1:\(port)/webhooks/attempts"))
        #expect(response.status == 200)
        #expect(response.header("content-type") == "application/json")
        let attempts = try #require(try JSONValue(json: response.body).object?["attempts"]?.array)
        #expect(attempts.map { $0.object?["status"]?.integer } == [503, 204, 204])
        #expect(attempts.map { $0.object?["outcome"]?.string } == ["unavailable", "accepted", "accepted"])
        #expect(
            attempts.first?.object?.names == [
                "at", "id", "type", "outcome", "status", "milliseconds", "bytes", "detail",
            ])
        #expect(await webhooks.stop() == .ok)
    }
}

extension RunningWebhooks {
    var adminPort: Int? {
        log.lines.compactMap { try? JSONValue(json: Array($0.utf8)).object }
            .first { $0["message"] == "admin listener ready" }?["port"]?.integer.map { Int($0) }
    }
}
