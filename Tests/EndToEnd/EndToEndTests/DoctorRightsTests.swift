import AppStoreModel
import Cryptography
import Foundation
import Kafka
import Records
import TestSupport
import Testing

extension EndToEnd {
    /// `sluicectl doctor --for` with exactly the rights printed by `sluicectl topics acls`, on a broker that denies all
    /// others.
    @Suite(.enabled(if: ApacheKafka.canStart, "\(ApacheKafka.faultAbsence)"), .timeLimit(.minutes(15)))
    struct DoctorRightsOnApacheKafka {
        private static let executables = [
            "sluice-ingress", "sluice-entitlements", "sluice-refunds", "sluice-reconciler", "sluice-webhooks",
        ]

        /// Returns the settings that an executable requires. Checks of anything other than rights may fail.
        private func flags(_ executable: String, _ harness: Harness) throws -> [String] {
            let ports = ["--admin.port", "0"]
            let apps = ["--apps", "com.example.app:1234567890"]
            let data = ["--data.dir", harness.path("data")]
            switch executable {
            case "sluice-ingress": return ports + apps + ["--http.port", "0"]
            case "sluice-entitlements": return ports + apps + data + ["--http.port", "0"]
            case "sluice-refunds": return ports + apps + data
            case "sluice-reconciler":
                let pem = String(decoding: try PrivateKey.generate(.p256).pem(), as: UTF8.self)
                let key = try harness.write(pem, to: "key.p8")
                return ports + apps + data + [
                    "--appstore.api.issuer.id", "issuer", "--appstore.api.key.id", "key", "--appstore.api.key.file",
                    key, "--appstore.api.url", "http://127.0.0.1:1", "--appstore.api.sandbox.url", "http://127.0.0.1:1",
                ]
            default:
                let secret = try harness.write("whsec_" + Data(0..<32).base64EncodedString() + "\n", to: "secret")
                return ports + data + ["--webhooks.url", "http://127.0.0.1:1/in", "--webhooks.secret.file", secret]
            }
        }

        private func rights(
            of executable: String, _ secured: SecuredBroker, _ harness: Harness
        ) async throws -> [JSON.Object] {
            let printed = try await harness.run(
                Executable(
                    "sluicectl",
                    arguments: ["doctor", "--for", executable, "--output", "json"] + secured.broker.arguments
                        + (try flags(executable, harness))
                        + (try secured.settings(of: executable))))
            return try printed.json.objects("findings").filter { $0.text("what") == "right" }
        }

        @Test func `each granted right is ok, each missing one is named, and nothing is written`() async throws {
            try initializeCryptography()
            try await Harness.open { harness in
                let secured = try await SecuredBroker(harness, users: Self.executables)
                for executable in Self.executables { try await secured.grant(executable) }
                for executable in Self.executables {
                    let before = try await secured.administrator.endOffsets()
                    let granted = try await rights(of: executable, secured, harness)
                    #expect(granted.count > 2)
                    #expect(granted.allSatisfy { $0.text("status") == "ok" }, "\(executable): \(granted)")
                    #expect(try await secured.administrator.endOffsets() == before)
                    let states = secured.administrator.topics.entitlements(.production)
                    #expect(try await secured.administrator.records(of: states).isEmpty)
                    let step = TestScale.choose(short: 5, long: 1)
                    for (index, right) in try await secured.rights(of: executable).enumerated() {
                        guard index % step == 0 else { continue }
                        try await secured.without(right) {
                            let findings = try await rights(of: executable, secured, harness)
                            let finding = findings.first { $0.text("subject") == "\(right.resource) \(right.name)" }
                            // With profile single-node, a start without DescribeConfigs only warns.
                            let status = right.operation == "DescribeConfigs" ? "warning" : "problem"
                            #expect(finding?.text("status") == status, "\(executable): \(right): \(findings)")
                            #expect(finding?.text("found")?.contains(right.operation) == true)
                            #expect(finding?.text("fix")?.contains("topics acls --for \(executable)") == true)
                        }
                    }
                }
                try await secured.cluster.stop()
            }
        }
    }
}
