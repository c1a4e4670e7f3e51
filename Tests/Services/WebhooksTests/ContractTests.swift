import HTTPServer
import Kafka
import PipelineRuntime
import PipelineTestKit
import Synchronization
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

    func take(_ delivery: Delivery) -> HTTPResponse {
        guard let offset = delivery.id?.split(separator: "-").last.flatMap({ Int64($0) }) else { return .status(400) }
        return state.withLock { state in
            if state.isAway { return .status(503) }
            let key = String(delivery.text.prefix { $0 != ":" })
            if offset > state.states[key]?.offset ?? -1 { state.states[key] = (offset, delivery.text) }
            return .accepted
        }
    }
}

@Suite(.timeLimit(.minutes(10))) struct ContractTests {
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
            return HandlerSubject(
                handler: { .records(try handler(url: receiver.url, attempts: 3, directory: directory)) },
                effect: { withExtendedLifetime(receiver) { states.effect } }, withholdSink: { states.setAway($0) })
        }
        let violations = try await contract.violations()
        #expect(violations.isEmpty, "\(violations)")
    }
}
