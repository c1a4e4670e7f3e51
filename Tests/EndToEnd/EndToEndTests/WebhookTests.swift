import AppStoreModel
import Foundation
import HTTPServer
import Kafka
import Records
import Synchronization
import TestSupport
import Testing

extension EndToEnd {
    /// `sluice-webhooks`, started as an operator would, with a receiver in this process.
    @Suite struct Webhooks {
        @Test func `the receiver gets the states that are in Kafka`() async throws {
            try await Harness.open { harness in
                let broker = try await harness.embeddedBroker()
                let ingress = try await harness.ingress(on: broker, for: try await harness.simulatedApp())
                _ = try await harness.entitlements(on: broker)
                let receiver = try StateReceiver()
                let webhooks = try harness.webhooks(on: broker, to: receiver)
                let posted = try await harness.post(
                    to: ingress, ["--scenario", "subscription-life", "--accounts", "3"])
                let purchases = Set(posted.compactMap { $0.text("key") })
                #expect(purchases.count >= 3)

                var states: [JSON.Object] = []
                let isComplete = try await eventually(within: .seconds(60)) {
                    states = try await broker.states()
                    let published = PurchaseStatement.last(in: states)
                    return receiver.purchases.count == purchases.count && receiver.purchases == published
                }
                #expect(isComplete, "\(receiver.count) deliveries; \(webhooks)")
                let keys = states.compactMap { state in
                    state.text("originalTransactionId").map { "\(state.text("bundleId") ?? "")/\($0)" }
                }
                #expect(Set(keys) == purchases)
            }
        }

        @Test func `the receiver gets the latest state of every purchase, even after the sender is killed`()
            async throws
        {
            try await Harness.open { harness in
                let broker = try await harness.embeddedBroker()
                let receiver = try StateReceiver()
                try await broker.write(states: 0..<100)
                let first = try harness.webhooks(on: broker, to: receiver)
                // Killed while it delivers, so uncommitted records are delivered again.
                try await waitUntil(within: .seconds(30)) { receiver.count >= 20 }
                first.signal(SIGKILL)
                try await waitUntil { first.ended != nil }
                try await broker.write(states: 100..<150)

                let second = try harness.webhooks(on: broker, to: receiver)
                let isComplete = await eventually(within: .seconds(60)) {
                    receiver.states == Dictionary(uniqueKeysWithValues: (140..<150).map { ("key-\($0 % 10)", $0) })
                }
                #expect(isComplete, "\(receiver.states); \(second)")
                second.signal(SIGTERM)
                #expect(try await second.end(within: .seconds(30)) == .exit(0))
                #expect(receiver.ids.count == 150)
            }
        }
    }
}

/// Keeps the state with the highest version of each purchase.
private final class StateReceiver: Sendable {
    private struct State {
        var states: [String: (version: String, number: Int)] = [:]
        var ids: Set<String> = []
        var data: [JSON.Object] = []
        var count = 0
    }

    private final class Notes: Sendable { let state = Mutex(State()) }

    private let notes = Notes()
    private let server: HTTPServer

    init() throws {
        let notes = notes
        server = HTTPServer(listeners: [
            Listener(
                name: "receiver", host: "127.0.0.1", port: 0, limits: .public, admit: { _ in .body(limit: 1_000_000) },
                handle: { request, exchange in
                    let id = request.head.header("webhook-id") ?? ""
                    let data = JSON.object(request.body)?.object("data")
                    notes.state.withLock { state in
                        state.count += 1
                        state.ids.insert(id)
                        guard let data, let version = data.text("version") else { return }
                        state.data.append(data)
                        guard let purchase = data.text("originalTransactionId"), let number = data.integer("number"),
                            version > state.states[purchase]?.version ?? ""
                        else { return }
                        state.states[purchase] = (version, Int(number))
                    }
                    exchange.respond(HTTPResponse(status: 204, reason: "ok"))
                })
        ])
        try server.start()
    }

    var url: String { "http://127.0.0.1:\(server.port())/" }
    var states: [String: Int] { notes.state.withLock { $0.states.mapValues(\.number) } }
    var ids: Set<String> { notes.state.withLock { $0.ids } }
    var purchases: [String: PurchaseStatement] { PurchaseStatement.last(in: notes.state.withLock { $0.data }) }
    /// Number of deliveries, including copies.
    var count: Int { notes.state.withLock { $0.count } }
}

extension Broker {
    /// Writes states of ten purchases, each with an increasing number and version.
    fileprivate func write(states numbers: Range<Int>) async throws {
        try await write(
            numbers.map { number in
                let purchase = "key-\(number % 10)"
                let state = """
                    {"version":"00000000000\(1000 + number)-000000000000000","bundleId":"com.example",\
                    "originalTransactionId":"\(purchase)","number":\(number)}
                    """
                return KafkaProducerRecord(
                    topic: entitlements(.production), key: Array("com.example/\(purchase)".utf8),
                    value: Array(state.utf8))
            })
    }
}

extension Harness {
    fileprivate func webhooks(on broker: Broker, to receiver: StateReceiver) throws -> ChildProcess {
        let key = "whsec_" + Data(repeating: 1, count: 32).base64EncodedString()
        return try start(
            Executable(
                "sluice-webhooks",
                arguments: broker.arguments + [
                    "--webhooks.url", receiver.url, "--webhooks.secret.file", try write(key, to: "webhook-key"),
                    "--admin.port", "0",
                ]))
    }
}
