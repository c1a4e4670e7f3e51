import AppStoreModel
import AppStoreServerAPI
import AppStoreVerification
import Foundation
import HTTPClient
import HTTPServer
import Synchronization
import TestSupport
import Testing

extension EndToEnd {
    /// The App Store Server API of the built simulator, called by the services' client.
    @Suite struct SimulatedServerAPI {
        private static let app = BundleId("com.example.app")
        private static let answer = """
            {"customerConsented":true,"deliveryStatus":"DELIVERED","sampleContentProvided":false,\
            "refundPreference":"DECLINE"}
            """

        private func client(_ harness: Harness, _ http: HTTPClient, port: Int) throws -> AppStoreServerClient {
            let pem = try String(contentsOfFile: harness.path("pki/root.pem"), encoding: .utf8)
            let base64 = pem.split(separator: "\n").filter { !$0.hasPrefix("-----") }.joined()
            let root = try #require(Data(base64Encoded: base64))
            return AppStoreServerClient(
                AppStoreServerClient.Configuration(
                    credentials: [
                        Self.app: APICredentials(
                            issuerId: "57246542-96fe-1a63-e053-0824d011072a", keyId: "2X9R4HXF34",
                            keyFile: harness.path("pki/api.key.p8"))
                    ], productionURL: "http://127.0.0.1:\(port)"),
                http: http,
                verifier: try NotificationVerifier(
                    VerifierConfiguration(
                        roots: [Array(root)],
                        apps: [AppIdentity(bundleId: Self.app, appAppleId: AppAppleId(1_234_567_890))],
                        revocation: .off)))
        }

        @Test func `serve prints its ports, accepts and shows answers, and stops on SIGTERM`() async throws {
            try await Harness.open { harness in
                _ = try await harness.simulatedApp()
                let process = try harness.start(
                    Executable("sluice-simulator", arguments: ["serve", "--pki", harness.path("pki")]))
                try await waitUntil { process.output.contains("\n") || process.ended != nil }
                let ready = try #require(JSON.object(process.output), "\(process)")
                #expect(ready.text("message") == "ready" && ready.text("keyFile") == harness.path("pki/api.key.p8"))
                let port = Int(try #require(ready.integer("port")))
                #expect(ready.integer("sandboxPort").map { Int($0) != port } == true)

                let http = HTTPClient()
                defer { http.close() }
                let transactions = try await lines(http, port, "transactions")
                let id = try #require(transactions.first { $0.text("productId")?.hasSuffix("coins.100") == true })
                let transactionId = TransactionId(try #require(id.text("transactionId")))
                let client = try client(harness, http, port: port)
                let known = try await client.getTransactionInfo(
                    transactionId, APIScope(Self.app, in: .production))
                #expect(known.bundleId == Self.app)
                try await client.sendConsumption(
                    Array(Self.answer.utf8), form: .v2, for: transactionId, of: Self.app, in: .production)
                let answers = try await lines(http, port, "consumption")
                #expect(answers.map { $0.text("transactionId") } == [transactionId.rawValue])
                #expect(answers.first?.text("body") == Self.answer && answers.first?.integer("status") == 202)
                let unsigned = try await http.send(
                    HTTPClientRequest(url: "http://127.0.0.1:\(port)/inApps/v1/lookup/M1"))
                #expect(unsigned.status == 401)

                process.signal(SIGTERM)
                #expect(try await process.end(within: .seconds(20)) == .exit(0))
            }
        }

        private func lines(_ http: HTTPClient, _ port: Int, _ name: String) async throws -> [JSON.Object] {
            let answer = try await http.send(HTTPClientRequest(url: "http://127.0.0.1:\(port)/simulator/\(name)"))
            #expect(answer.status == 200)
            return try String(decoding: answer.body, as: UTF8.self).split(separator: "\n").map {
                try #require(JSON.object(String($0)), "\($0)")
            }
        }

        @Test func `post waits for the answer to each refund request, then decides`() async throws {
            try await Harness.open { harness in
                _ = try await harness.simulatedApp()
                let posts = Mutex<[String]>([])
                let server = HTTPServer(listeners: [
                    Listener(
                        name: "notifications", host: "127.0.0.1", port: 0, limits: .public,
                        admit: { _ in .body(limit: 1 << 20) },
                        handle: { request, exchange in
                            posts.withLock { $0.append(String(decoding: request.body, as: UTF8.self)) }
                            exchange.respond(HTTPResponse(status: 200, reason: "ok"))
                        })
                ])
                try server.start()
                let process = try harness.start(
                    Executable(
                        "sluice-simulator",
                        arguments: [
                            "post", "--url", "http://127.0.0.1:\(server.port())/", "--pki", harness.path("pki"),
                            "--scenario", "refund-request", "--accounts", "3", "--api-port", "0", "--time-scale", "60",
                            "--decision-delay", "1ms", "--output", "json",
                        ]))
                try await waitUntil { process.errors.contains("answers at http://127.0.0.1:") || process.ended != nil }
                let address = try #require(process.errors.firstMatch(of: /answers at http:\/\/127\.0\.0\.1:(\d+)/))
                let port = try #require(Int(address.output.1))
                let http = HTTPClient()
                defer { http.close() }
                let client = try client(harness, http, port: port)
                // One purchase and one request each. The other notifications follow the answers.
                try await waitUntil { posts.withLock { $0.count } == 6 }
                #expect(process.ended == nil)
                for transaction in try await lines(http, port, "transactions") {
                    let id = TransactionId(try #require(transaction.text("transactionId")))
                    try await client.sendConsumption(
                        Array(Self.answer.utf8), form: .v2, for: id, of: Self.app, in: .production)
                }
                #expect(try await process.end(within: .seconds(30)) == .exit(0), "\(process)")
                let summary = try #require(JSON.object(process.output))
                let refunds = try #require(summary.object("refunds"))
                #expect(refunds.integer("cases") == 3 && refunds.integer("answered") == 3)
                #expect(refunds.integer("declined") == 3 && refunds.integer("refunded") == 0)
                #expect(refunds.integer("consumptionRequests") == 3)
                let types = try posts.withLock { $0 }.map { body in
                    let payload = try CompactJWS.payload(try #require(JSON.object(body)?.text("signedPayload")))
                    return try #require(JSON.object(String(decoding: payload, as: UTF8.self))?.text("notificationType"))
                }
                #expect(types.count { $0 == "REFUND_DECLINED" } == 3 && types.count == 9)
                await server.drain(within: .seconds(1))
            }
        }
    }
}
