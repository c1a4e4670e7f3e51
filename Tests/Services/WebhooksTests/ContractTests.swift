import HTTPServer
import JSON
import Kafka
import PipelineRuntime
import PipelineTestKit
import Synchronization
import TestSupport
import Testing

@testable import Webhooks

/// A receiver as documented. For each purchase it keeps the state with the highest version.
private final class StateReceiver: Sendable {
    private struct State {
        var states: [String: (version: String, state: String)] = [:]
        var isAway = false
    }

    private let state = Mutex(State())

    var effect: [String: String] { state.withLock { $0.states.mapValues(\.state) } }

    func setAway(_ isAway: Bool) { state.withLock { $0.isAway = isAway } }

    func take(_ delivery: Delivery) -> HTTPResponse {
        guard let version = delivery.data["version"]?.string,
            let purchase = delivery.data["originalTransactionId"]?.string
        else { return .status(400) }
        return state.withLock { state in
            if state.isAway { return .status(503) }
            if version > state.states[purchase]?.version ?? "" { state.states[purchase] = (version, delivery.state) }
            return .accepted
        }
    }
}

@Suite(.timeLimit(.minutes(10))) struct ContractTests {
    @Test func `the handler keeps the contract`() async throws {
        let records = (0..<24).map { number in
            KafkaProducerRecord(
                topic: "appstore.entitlements.production", key: TestState.key("key-\(number % 5)"),
                value: TestState.value("key-\(number % 5)", number))
        }
        let contract = HandlerContract(records: records) {
            let directory = try TemporaryDirectory()
            let states = StateReceiver()
            let receiver = try Receiver { delivery, _ in states.take(delivery) }
            return HandlerSubject(
                handler: { .records(try handler(url: receiver.url, attempts: 3, directory: directory)) },
                effect: { withExtendedLifetime(receiver) { states.effect } }, withholdSink: { states.setAway($0) })
        }
        let violations = try await contract.violations()
        #expect(violations.isEmpty, "\(violations)")
    }
}
