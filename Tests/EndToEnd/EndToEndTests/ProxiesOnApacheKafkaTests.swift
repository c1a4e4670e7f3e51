import AppStoreModel
import Foundation
import Records
import TestSupport
import Testing

extension EndToEnd {
    /// A first attempt as an operator would make it: curl, a proxy that terminates TLS, the ingress, and Apache Kafka.
    @Suite(
        .enabled(if: ApacheKafka.isAvailable, "\(ApacheKafka.absence)"),
        .enabled(if: Program.path(of: "curl") != nil, "needs curl"),
        .enabled(if: Program.path(of: "openssl") != nil, "needs openssl"))
    struct ProxiesOnApacheKafka {
        @Test(
            .enabled(if: Proxy.installed.contains(.nginx), "needs nginx: apt-get install nginx"),
            arguments: Proxy.Configuration.allCases)
        func `a notification from curl over https through nginx is answered 200 and is in the topic`(
            _ configuration: Proxy.Configuration
        ) async throws {
            try await post(through: .nginx, configuration)
        }

        @Test(
            .enabled(if: Proxy.installed.contains(.haproxy), "needs haproxy: apt-get install haproxy"),
            arguments: Proxy.Configuration.allCases)
        func `a notification from curl over https through HAProxy is answered 200 and is in the topic`(
            _ configuration: Proxy.Configuration
        ) async throws {
            try await post(through: .haproxy, configuration)
        }

        private func post(through program: Proxy.Program, _ configuration: Proxy.Configuration) async throws {
            try await Harness.open { harness in
                let broker = try await harness.apacheKafka()
                let ingress = try await harness.ingress(on: broker, for: try await harness.simulatedApp())
                let proxy = try await harness.proxy(program, configuration, before: [ingress])
                let curl = try #require(Program.path(of: "curl"))
                let bodies = try NotificationSupply.bodies(3, pki: harness.path("pki"), seed: 1)
                for (number, body) in bodies.enumerated() {
                    let file = try harness.write(String(decoding: body, as: UTF8.self), to: "body\(number).json")
                    let posted = try await harness.run([
                        curl, "--silent", "--show-error", "--cacert", proxy.certificate, "--header",
                        "Content-Type: application/json", "--data-binary", "@\(file)", "--write-out",
                        "%{http_code} %{scheme}", proxy.url,
                    ])
                    #expect(posted.output.uppercased() == "200 HTTPS", "\(posted); \(proxy.process)")
                }
                // Without the proxy's certificate there is no connection. This proves that TLS is used.
                let untrusting = try await harness.run([
                    curl, "--silent", "--data", "{}", "--write-out", "%{http_code}", proxy.url,
                ])
                #expect(untrusting.end == .exit(60), "\(untrusting)")

                let segments = try await broker.headers()
                let recorded = try await broker.records(of: broker.notifications(.production)).map { record in
                    let jws = try NotificationRecord(record).rebuild { segments[$0] }
                    return #"{"signedPayload":""# + String(decoding: jws, as: UTF8.self) + #""}"#
                }
                #expect(recorded.sorted() == bodies.map { String(decoding: $0, as: UTF8.self) }.sorted())
            }
        }
    }
}
