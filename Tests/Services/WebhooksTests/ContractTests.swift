import Configuration
import HTTPClient
import HTTPServer
import Kafka
import PipelineRuntime
import PipelineTestKit
import Synchronization
import Telemetry
import TestSupport
import Testing

@testable import Webhooks

/// A receiver as the documentation asks for: what it has of a key is the state with the greatest offset.
private final class StateReceiver: Sendable {
    private struct State {
        var states: [String: (offset: Int64, body: String)] = [:]
        var isAway = false
    }

    private let state = Mutex(State())

    var effect: [String: String] { state.withLock { $0.states.mapValues(\.body) } }

    func setAway(_ isAway: Bool) { state.withLock { $0.isAway = isAway } }

    func take(_ delivery: Delivery) -> Answer {
        guard let offset = delivery.id?.split(separator: "-").last.flatMap({ Int64($0) }) else { return .status(400) }
        return state.withLock { state in
            if state.isAway { return .status(503) }
            let key = String(delivery.text.prefix { $0 != ":" })
            if offset > state.states[key]?.offset ?? -1 { state.states[key] = (offset, delivery.text) }
            return .accepted
        }
    }
}

@Suite(.timeLimit(.minutes(3))) struct ContractTests {
    @Test func `the handler keeps the contract`() async throws {
        let records = (0..<24).map { number in
            KafkaProducerRecord(
                topic: "appstore.entitlements.production", key: Array("key-\(number % 5)".utf8),
                value: Array("key-\(number % 5):\(number)".utf8))
        }
        let contract = HandlerContract(records: records) {
            let directory = try TemporaryDirectory()
            let states = StateReceiver()
            let receiver = try Receiver { delivery, _ in states.take(delivery) }
            let secrets = try directory.write(TestKey.line(TestKey.first), to: "secrets")
            let plan = try WebhooksPlan(
                configuration(["--webhooks.url", receiver.url, "--webhooks.secret.file", secrets]))
            return HandlerSubject(
                handler: {
                    .records(
                        WebhooksHandler(
                            plan, attempts: 3, client: HTTPClient(), metrics: WebhooksMetrics(MetricsRegistry()),
                            logger: Logger(label: "test", level: .error, format: .json, sink: MemoryLogSink())))
                },
                effect: { withExtendedLifetime(receiver) { states.effect } }, withholdSink: { states.setAway($0) })
        }
        let violations = try await contract.violations()
        #expect(violations.isEmpty, "\(violations)")
    }
}
