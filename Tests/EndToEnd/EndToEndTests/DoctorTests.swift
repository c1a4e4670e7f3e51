import AppStoreModel
import Cryptography
import Foundation
import Kafka
import Records
import TestSupport
import Testing

extension EndToEnd {
    /// `sluicectl doctor --for` each executable, with its own settings, on the embedded broker.
    @Suite struct Doctor {
        private struct Report {
            let finished: Finished
            let findings: [JSON.Object]

            /// The findings with a status, as `what subject`.
            func subjects(_ status: String) -> [String] {
                findings.filter { $0.text("status") == status }
                    .map { "\($0.text("what") ?? "?") \($0.text("subject") ?? "-")" }
            }

            func has(_ status: String, _ subject: String) -> Bool { subjects(status).contains(subject) }
        }

        private func report(
            _ executable: String, _ flags: [String], _ broker: Broker, _ harness: Harness
        ) async throws -> Report {
            let directory = executable == "sluice-ingress" ? [] : ["--data.dir", harness.path("data-\(executable)")]
            let finished = try await harness.sluicectl(
                ["doctor", "--for", executable, "--admin.port", "0"] + directory + broker.arguments + flags)
            return Report(finished: finished, findings: try finished.json.objects("findings"))
        }

        private static let apps = ["--apps", "com.example.app:1234567890"]

        @Test func `an executable that would start has no problem, and its topics are checked`() async throws {
            try await Harness.open { harness in
                let broker = try await harness.embeddedBroker()
                let keys = try await archiveKeys(harness)
                let secret = try harness.write("whsec_" + Data(0..<32).base64EncodedString() + "\n", to: "secret")
                let receiver = try AnsweringListener(answering: [])
                let url = "http://127.0.0.1:\(receiver.port)/in"
                let (ports, topics) = (["--http.port", "0"], broker.topics)
                let cases: [(executable: String, flags: [String], topic: String)] = [
                    ("sluice-ingress", Self.apps + ports, topics.quarantine.rawValue),
                    ("sluice-entitlements", Self.apps + ports, topics.entitlements(.sandbox).rawValue),
                    (
                        "sluice-refunds",
                        Self.apps + ["--refunds.provider.url", url, "--refunds.provider.secret.file", secret],
                        topics.refunds(.production).rawValue
                    ),
                    (
                        "sluice-webhooks", ["--webhooks.url", url, "--webhooks.secret.file", secret],
                        topics.entitlements(.production).rawValue
                    ),
                    ("sluice-archive", keys, topics.erasures.rawValue),
                ]
                for (executable, flags, topic) in cases {
                    let report = try await report(executable, flags, broker, harness)
                    #expect(report.finished.end == .exit(0), "\(executable): \(report.finished)")
                    #expect(report.subjects("problem").isEmpty)
                    #expect(report.has("warning", "topic \(topic)") || report.has("ok", "topic \(topic)"))
                    #expect(report.has("ok", "port admin.port"))
                    #expect(executable == "sluice-ingress" || report.has("ok", "directory data.dir"))
                    let isContacted = report.has("ok", "connection 127.0.0.1:\(receiver.port)")
                    #expect(isContacted == flags.contains(url), "\(executable)")
                }
                #expect(!FileManager.default.fileExists(atPath: harness.path("data-sluice-entitlements")))
            }
        }

        @Test func `a fault outside of the process is a problem of the executable that it concerns`() async throws {
            try await Harness.open { harness in
                let broker = try await harness.embeddedBroker()
                let secret = try harness.write("whsec_" + Data(0..<32).base64EncodedString() + "\n", to: "secret")
                let used = try AnsweringListener(answering: [])
                let port = try await report(
                    "sluice-entitlements", Self.apps + ["--http.port", "\(used.port)"], broker, harness)
                #expect(port.finished.end == .exit(1))
                #expect(port.subjects("problem") == ["port http.port"], "\(port.finished)")
                let receiver = try await report(
                    "sluice-webhooks",
                    ["--webhooks.url", "https://nowhere.invalid/in", "--webhooks.secret.file", secret], broker, harness)
                #expect(receiver.subjects("problem") == ["dns nowhere.invalid"], "\(receiver.finished)")
                let archive = try await report(
                    "sluice-archive", try await archiveKeys(harness, url: try harness.write("", to: "file") + "/in"),
                    broker, harness)
                #expect(archive.finished.end == .exit(1), "\(archive.finished)")
            }
        }

        @Test func `the reconciler's key is tried, and no answer from Apple is a problem`() async throws {
            try await Harness.open { harness in
                try initializeCryptography()
                let broker = try await harness.embeddedBroker()
                let key = try harness.write(
                    String(decoding: try PrivateKey.generate(.p256).pem(), as: UTF8.self), to: "key.p8")
                let silent = "http://127.0.0.1:\(try freePort())"
                let report = try await report(
                    "sluice-reconciler",
                    Self.apps + [
                        "--appstore.api.issuer.id", "issuer", "--appstore.api.key.id", "key", "--appstore.api.key.file",
                        key, "--appstore.api.url", silent, "--appstore.api.sandbox.url", silent,
                    ], broker, harness)
                #expect(report.finished.end == .exit(1), "\(report.finished)")
                #expect(Set(report.subjects("problem").map { $0.prefix(3) }) == ["api"], "\(report.finished)")
                #expect(report.has("unknown", "clock difference"))
            }
        }

        /// Creates the archive's keys, and returns its settings.
        private func archiveKeys(_ harness: Harness, url: String? = nil) async throws -> [String] {
            let (signing, encryption) = (harness.path("signing.pem"), harness.path("kek"))
            if !FileManager.default.fileExists(atPath: signing) {
                for arguments in [
                    ["signing", signing, "--archive.origin", "example.com/a"], ["encryption", encryption],
                ] {
                    let made = try await harness.run(
                        Executable("sluicectl", arguments: ["archive", "key"] + arguments))
                    try #require(made.end == .exit(0), "\(made)")
                }
            }
            return [
                "--archive.url", url ?? harness.path("archive"), "--archive.origin", "example.com/a",
                "--archive.signing.key.file", signing, "--archive.key.encryption.key.file", encryption,
                "--archive.key.store", harness.path("keys.sqlite"),
            ]
        }
    }
}
