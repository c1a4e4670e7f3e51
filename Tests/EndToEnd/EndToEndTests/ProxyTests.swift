import Foundation
import HTTPClient
import TestSupport
import Testing

extension EndToEnd {
    /// The ingress behind common proxies, with the recipes in `deploy/proxies` and with the programs' defaults.
    @Suite(.enabled(if: !Proxy.installed.isEmpty, "\(Proxy.absence)")) struct Proxies {
        @Test(arguments: Proxy.installed, Proxy.Configuration.allCases)
        func `notifications posted to https are answered 200 and recorded`(
            _ program: Proxy.Program, _ configuration: Proxy.Configuration
        ) async throws {
            try await Harness.open { harness in
                let broker = try await harness.embeddedBroker()
                let ingress = try await harness.ingress(on: broker, for: try await harness.simulatedApp())
                let proxy = try await harness.proxy(program, configuration, before: [ingress])
                let client = HTTPClient(HTTPClient.Configuration(trustRootsFile: proxy.certificate))
                defer { client.close() }
                for body in try NotificationSupply.bodies(20, pki: harness.path("pki"), seed: 1) {
                    #expect(try await post(body, to: proxy, client).status == 200, "\(proxy.process)")
                }
                #expect(try await broker.notificationUUIDs().count == 20)
            }
        }

        @Test(
            .enabled(if: TestVectors.arePresent, "\(TestVectors.absence)"), arguments: Proxy.installed,
            Proxy.Configuration.allCases)
        func `captured Apple samples are answered 200 through each proxy`(
            _ program: Proxy.Program, _ configuration: Proxy.Configuration
        ) async throws {
            try await Harness.open { harness in
                let broker = try await harness.embeddedBroker()
                let ingress = try await harness.ingress(on: broker, for: .appleSamples)
                let proxy = try await harness.proxy(program, configuration, before: [ingress])
                let client = HTTPClient(HTTPClient.Configuration(trustRootsFile: proxy.certificate))
                defer { client.close() }
                for sample in try TestVectors.appleSamples() {
                    #expect(try await post(sample.body, to: proxy, client).status == 200, "\(proxy.process)")
                }
            }
        }

        @Test(.enabled(if: Program.path(of: "curl") != nil, "needs curl"), arguments: Proxy.installed)
        func `the log has the network of the client, even with a forged header`(
            _ program: Proxy.Program
        ) async throws {
            try await Harness.open { harness in
                let broker = try await harness.embeddedBroker()
                // The client has a different local address than the proxy.
                let ingress = try await harness.ingress(
                    on: broker, for: try await harness.simulatedApp(),
                    settings: ["--http.proxies", "127.0.0.1/32", "--http.forwarded", "x-forwarded-for"])
                let proxy = try await harness.proxy(program, .recipe, before: [ingress])
                let posted = try await harness.run([
                    try #require(Program.path(of: "curl")), "--silent", "--interface", "127.9.8.7", "--cacert",
                    proxy.certificate, "--header", "X-Forwarded-For: 203.0.113.5", "--header",
                    "Forwarded: for=203.0.113.5", "--data", "[]", "--write-out", "%{http_code}", proxy.url,
                ])
                #expect(posted.output == "400", "\(posted)")
                let isLogged = await eventually {
                    ingress.process.log.contains {
                        $0.message == "decision" && $0.fields.text("network") == "127.9.8.0/24"
                    }
                }
                #expect(isLogged, "\(ingress.process)")
                #expect(!ingress.process.errors.contains("203.0.113"))
            }
        }

        /// Version 1 bodies contain the customer's whole receipt.
        @Test(arguments: Proxy.installed)
        func `version 1 bodies pass the proxy up to the limit of the ingress, which logs larger ones`(
            _ program: Proxy.Program
        ) async throws {
            try await Harness.open { harness in
                let secret = try harness.write("0f1e2d3c4b5a69788796a5b4c3d2e1f0\n", to: "shared-secret")
                let ingress = try await harness.ingress(
                    on: try await harness.embeddedBroker(), for: try await harness.simulatedApp(),
                    settings: ["--apps.com.example.app.shared.secret.file", secret])
                let proxy = try await harness.proxy(program, .recipe, before: [ingress])
                let client = HTTPClient(HTTPClient.Configuration(trustRootsFile: proxy.certificate))
                defer { client.close() }
                // The password is wrong, so the ingress itself responds, and the receipt may be arbitrary.
                func status(_ bytes: Int) async throws -> Int {
                    let receipt = String(repeating: "A", count: bytes)
                    let body =
                        #"{"notification_type":"DID_RENEW","password":"guessed","unified_receipt":"#
                        + #"{"latest_receipt":"\#(receipt)"}}"#
                    return try await post(Array(body.utf8), to: proxy, client).status
                }
                for bytes in [600 * 1024, 2_000_000] {
                    let answer = try await status(bytes)
                    #expect([401, 403].contains(answer), "\(proxy.process)")
                }
                // The ingress responds before it has the whole body, and closes the connection. nginx, which is still
                // sending, returns 502 if it notices the close before the response. HAProxy closes the client's
                // connection too, so a client that is still sending may not see the response.
                let refusal: Int?
                do { refusal = try await status(2_200_000) } catch is HTTPClientError { refusal = nil }
                switch program {
                case .nginx: #expect(refusal == 413 || refusal == 502, "\(proxy.process)")
                case .haproxy: #expect(refusal == 413 || refusal == nil, "\(proxy.process)")
                case .caddy: #expect(refusal == 413, "\(proxy.process)")
                }
                let isLogged = await eventually {
                    ingress.process.log.contains {
                        $0.message == "decision" && $0.fields.text("reason") == "too_large"
                    }
                }
                #expect(isLogged, "\(ingress.process)")
            }
        }

        @Test(arguments: Proxy.installed.filter { $0 != .caddy })
        func `every request is answered 200 while instances are restarted and killed in turn under load`(
            _ program: Proxy.Program
        ) async throws {
            try await Harness.open { harness in
                let broker = try await harness.embeddedBroker(partitions: 12)
                let app = try await harness.simulatedApp()
                var instances: [Ingress] = []
                for _ in 0..<2 { instances.append(try await harness.ingress(on: broker, for: app)) }
                let proxy = try await harness.proxy(program, .recipe, before: instances)
                let load = try Load(
                    to: proxy.url, pki: harness.path("pki"), perSecond: 40, trustRoots: proxy.certificate)
                let outcomes = try await load.run {
                    try await load.wait(for: 20, proxy.process) { $0.isAcknowledged }
                    for signal in [SIGTERM, SIGTERM, SIGKILL, SIGKILL] {
                        let leaving = instances.removeFirst()
                        leaving.process.signal(signal)
                        let end = try await leaving.process.end(within: .seconds(12))
                        #expect(end == (signal == SIGTERM ? .exit(0) : .signal(SIGKILL)), "\(leaving.process)")
                        instances.append(
                            try await harness.ingress(
                                on: broker, for: app, port: leaving.port, adminPort: leaving.adminPort))
                        // Wait long enough for the proxy to detect the ingress again.
                        let begun = load.outcomes.count
                        try await load.wait(for: begun + 120, proxy.process) { _ in true }
                    }
                }
                let ledger = try await Ledger(outcomes, broker)
                ledger.check(proxy.process)
                let areAllAcknowledged = outcomes.allSatisfy { $0.isAcknowledged }
                #expect(areAllAcknowledged, "\(ledger.answers); \(proxy.process)")
                var report = FaultReport("two ingresses behind \(program) stopped twice and killed twice")
                ledger.add(to: &report)
                try report.publish()
            }
        }

        private func post(_ body: [UInt8], to proxy: Proxy, _ client: HTTPClient) async throws -> HTTPClientResponse {
            try await client.send(
                HTTPClientRequest(
                    method: "POST", url: proxy.url, headers: [(name: "Content-Type", value: "application/json")],
                    body: body, timeout: .seconds(20)))
        }
    }
}
