import AppStoreModel
import Foundation
import HTTPClient
import HTTPServer
import JSONTestSupport
import Kafka
import Records
import Synchronization
import TestSupport
import Testing

extension EndToEnd {
    /// Deliveries of `sluice-webhooks` for the simulator's notifications, as an endpoint receives them.
    @Suite struct WebhookContents {
        @Test(arguments: ["state", "notification"])
        func `every body satisfies the published schema`(content: String) async throws {
            try await deliveries(content) { deliveries, _, _, _ in
                let schema = try JSONSchema.deployed("webhook.schema.json")
                for delivery in deliveries {
                    let faults = schema.faults(in: Array(delivery.body.utf8))
                    #expect(faults.isEmpty, "\(faults): \(delivery.body)")
                }
            }
        }

        @Test(
            .enabled(if: StandardWebhooks.python != nil, "\(StandardWebhooks.absence)"),
            arguments: ["state", "notification"])
        func `the library of Standard Webhooks verifies every delivery`(content: String) async throws {
            try await deliveries(content) { deliveries, _, _, harness in try await verify(deliveries, harness) }
        }

        @Test func `an endpoint for Apple's notifications receives Apple's own bodies, byte for byte`() async throws {
            try await deliveries("signed") { deliveries, broker, ingress, _ in
                let headers = try await broker.headers()
                let signed = try await broker.records(of: broker.notifications(.production)).map { record in
                    let jws = try NotificationRecord(record).rebuild { headers[$0] }
                    return #"{"signedPayload":""# + String(decoding: jws, as: UTF8.self) + #""}"#
                }
                #expect(deliveries.map(\.body).sorted() == signed.sorted())
                // The ingress can be the endpoint. It already has all of these notifications.
                let client = HTTPClient()
                defer { client.close() }
                for delivery in deliveries {
                    #expect(try await ingress.post(Array(delivery.body.utf8), with: client).status == 200)
                }
                #expect(try await broker.records(of: broker.notifications(.production)).count == signed.count)
            }
        }

        /// Sends purchases through all services, and passes the deliveries to `check`.
        private func deliveries(
            _ content: String, _ check: ([Delivered], Broker, Ingress, Harness) async throws -> Void
        ) async throws {
            try await Harness.open { harness in
                let broker = try await harness.embeddedBroker(
                    others: AppStoreEnvironment.published.map {
                        harness.topics.notifications($0).deadLetters(of: TopicNames.webhooksGroup)
                    })
                let ingress = try await harness.ingress(on: broker, for: try await harness.simulatedApp())
                if content == "state" { _ = try await harness.entitlements(on: broker) }
                let receiver = try DeliveryReceiver()
                let webhooks = try harness.start(
                    Executable(
                        "sluice-webhooks",
                        arguments: broker.arguments + [
                            "--webhooks.content", content, "--webhooks.url", receiver.url, "--webhooks.secret.file",
                            try harness.write(DeliveryReceiver.key, to: "webhook-key"), "--admin.port", "0",
                        ]))
                let posted = try await harness.post(
                    to: ingress, ["--scenario", "all", "--accounts", "30"])
                let isComplete = try await eventually(within: .seconds(120)) {
                    guard content == "state" else { return receiver.deliveries.count >= posted.count }
                    let published = PurchaseStatement.last(in: try await broker.states())
                    return receiver.purchases.count >= 30 && receiver.purchases == published
                }
                #expect(isComplete, "\(receiver.deliveries.count) of \(posted.count); \(webhooks)")
                webhooks.signal(SIGTERM)
                #expect(try await webhooks.end(within: .seconds(30)) == .exit(0))
                try await check(receiver.deliveries, broker, ingress, harness)
            }
        }

        /// Verifies deliveries with the library that Standard Webhooks publishes, and with a third-party validator of
        /// JSON Schema.
        private func verify(_ deliveries: [Delivered], _ harness: Harness) async throws {
            let python = try #require(StandardWebhooks.python)
            let lines = try deliveries.map { delivery in
                let line = [
                    "id": delivery.id, "timestamp": delivery.timestamp, "signature": delivery.signature,
                    "body": delivery.body,
                ]
                return String(decoding: try JSONSerialization.data(withJSONObject: line), as: UTF8.self) + "\n"
            }
            let input = try harness.write(lines.joined(), to: "deliveries.jsonl")
            let folder = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
            let program = folder.appending(path: "../verify-webhooks.py").standardized.path
            let schema = folder.appending(path: "../../../deploy/webhook.schema.json").standardized.path
            let run = try await harness.run([
                "sh", "-c", "'\(python)' '\(program)' '\(DeliveryReceiver.key)' '\(schema)' < '\(input)'",
            ])
            #expect(run.end == .exit(0), "\(run)")
            #expect(run.output == "\(deliveries.count)\n")
        }
    }
}

/// The library that Standard Webhooks publishes for Python.
private enum StandardWebhooks {
    static let absence =
        "needs a Python with the packages standardwebhooks and jsonschema: set SLUICE_TEST_PYTHON to it"

    static let python = ProcessInfo.processInfo.environment["SLUICE_TEST_PYTHON"]
}

private struct Delivered: Sendable {
    let id: String
    let timestamp: String
    let signature: String
    let body: String
}

/// Accepts and records every delivery.
private final class DeliveryReceiver: Sendable {
    static let key = "whsec_" + Data(repeating: 1, count: 32).base64EncodedString()

    private final class Notes: Sendable { let deliveries = Mutex<[Delivered]>([]) }

    private let notes = Notes()
    private let server: HTTPServer

    init() throws {
        let notes = notes
        server = HTTPServer(listeners: [
            Listener(
                name: "receiver", host: "127.0.0.1", port: 0, limits: .public, admit: { _ in .body(limit: 1_000_000) },
                handle: { request, exchange in
                    func header(_ name: StaticString) -> String { request.head.header(name) ?? "" }
                    let delivery = Delivered(
                        id: header("webhook-id"), timestamp: header("webhook-timestamp"),
                        signature: header("webhook-signature"), body: String(decoding: request.body, as: UTF8.self))
                    notes.deliveries.withLock { $0.append(delivery) }
                    exchange.respond(HTTPResponse(status: 204, reason: "ok"))
                })
        ])
        try server.start()
    }

    var url: String { "http://127.0.0.1:\(server.port())/" }
    var deliveries: [Delivered] { notes.deliveries.withLock { $0 } }
    var purchases: [String: PurchaseStatement] {
        PurchaseStatement.last(in: deliveries.compactMap { JSON.object($0.body)?.object("data") })
    }
}
