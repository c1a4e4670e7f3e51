import AppStoreModel
import AppStoreSigning
import AppStoreTestSupport
import Cryptography
import HTTPServer
import JSON
import Kafka
import KafkaDevBroker
import Records
import Synchronization
import TestSupport
import Testing

@testable import Sluicectl

/// `sluicectl doctor` as a whole, against the embedded broker and an OCSP responder.
@Suite(.timeLimit(.minutes(5)))
struct DoctorOnBrokerTests {
    private static func broker(_ names: TopicNames = TopicNames()) throws -> DevBroker {
        try DevBroker(
            topics: Dictionary(
                uniqueKeysWithValues: names.ingress(partitions: 2).map {
                    ($0.name, $0.partitions)
                }))
    }

    private static func flags(_ broker: DevBroker, root: String) -> [String] {
        [
            "--apps", "com.example.app:1234567890", "--profile", "single-node", "--root.certificates", root,
            "--kafka.bootstrap.servers", broker.bootstrapServers,
        ]
    }

    /// Returns `what: status` of each finding.
    private static func seen(_ printed: Printed) throws -> [String] {
        let findings = try #require(try printed.objects.first?["findings"]?.array)
        return findings.map { "\($0.object?["what"]?.string ?? "?"): \($0.object?["status"]?.string ?? "?")" }
    }

    @Test func `an ingress that would start has no problems`() async throws {
        let (broker, directory) = (try Self.broker(), try TemporaryDirectory())
        let files = try directory.signedFiles()
        let command = ["doctor"] + Self.flags(broker, root: files.root)
        let (exitCode, printed) = await sluicectl(command + ["--output", "json"])
        #expect(exitCode == 0, "\(printed.output) \(printed.complaints)")
        #expect(
            try Self.seen(printed) == [
                "configuration: ok", "clock: ok", "root: ok", "ocsp: skipped", "dns: ok", "connection: ok",
                "brokers: ok", "topic: warning", "topic: warning", "topic: warning", "topic: warning", "right: skipped",
                "message-sizes: ok", "api: skipped", "clock: unknown",
            ])
        let (_, text) = await sluicectl(command)
        #expect(text.output.contains("ok       configuration"))
        #expect(text.output.contains(", embedded broker, 1 broker (1) stores the topics\n"))
        #expect(text.output.hasSuffix("\n4 warnings, 1 unknown, 3 skipped\n"))
        await broker.stop()
    }

    @Test func `topics under another prefix are missing`() async throws {
        let (broker, directory) = (try Self.broker(), try TemporaryDirectory())
        let (exitCode, printed) = await sluicectl(
            ["doctor", "--topics.prefix", "elsewhere"] + Self.flags(broker, root: try directory.signedFiles().root))
        #expect(exitCode == 1)
        #expect(printed.output.contains("problem  topic elsewhere.quarantine"))
        #expect(printed.output.contains("does not exist  -> "))
        await broker.stop()
    }

    @Test func `the embedded broker is a problem in the production profile`() async throws {
        let (broker, directory) = (try Self.broker(), try TemporaryDirectory())
        let flags = Self.flags(broker, root: try directory.signedFiles().root).map {
            $0 == "single-node" ? "production" : $0
        }
        let (exitCode, printed) = await sluicectl(["doctor"] + flags)
        #expect(exitCode == 1)
        #expect(printed.output.contains("is sluice-dev-broker, which keeps records in memory"))
        await broker.stop()
    }

    @Test func `another executable is checked with its own configuration and needs`() async throws {
        let topic = KafkaTopic(rawValue: "other.input")
        let (broker, directory) = (try DevBroker(topics: [topic: 1]), try TemporaryDirectory())
        let listener = try AnsweringListener(answering: [])
        let command = [
            "doctor", "--for", "sluice-other", "--kafka.bootstrap.servers", broker.bootstrapServers, "--profile",
            "single-node", "--output", "json", "--other.url", "http://127.0.0.1:\(listener.port)/in",
        ]
        let (exitCode, printed) = await sluicectl(command + ["--other.directory", directory.path])
        #expect(exitCode == 0, "\(printed.output)")
        let seen = try Self.seen(printed)
        #expect(
            seen.prefix(6) == [
                "configuration: ok", "clock: ok", "dns: ok", "connection: ok", "brokers: ok", "topic: warning",
            ])
        #expect(seen.contains("port: ok") && seen.contains("bucket: ok") && seen.contains("directory: ok"))
        #expect(!seen.contains { $0.hasPrefix("root") || $0.hasPrefix("api") || $0.hasPrefix("message-sizes") })
        let (failed, faults) = await sluicectl(
            command + ["--other.bucket", "denied", "--other.directory", directory.path + "/none"])
        #expect(failed == 1)
        #expect(try Self.seen(faults).suffix(5).contains("bucket: problem"))
        #expect(try Self.seen(faults).contains("directory: problem"))
        await broker.stop()
    }

    @Test func `an invalid configuration is reported with every error`() async throws {
        let directory = try TemporaryDirectory()
        let file = try directory.write("http.port=none\nkafka.acks=1\n", to: "sluice.properties")
        let (exitCode, printed) = await sluicectl(["doctor", "--config", file, "--output", "json"])
        #expect(exitCode == 1)
        #expect(printed.complaints.isEmpty)
        let findings = try #require(try printed.objects.first?["findings"]?.array)
        let mistakes = findings.filter { $0.object?["what"]?.string == "configuration" }
            .compactMap { $0.object?["found"]?.string }
        #expect(mistakes.contains { $0.contains("http.port") && $0.contains("sluice.properties:1") }, "\(mistakes)")
        #expect(mistakes.contains { $0.contains("apps") }, "\(mistakes)")
    }

    @Test func `unreachable brokers are a problem, and the other checks continue`() async throws {
        let (exitCode, printed) = await sluicectl(
            [
                "doctor", "--apps", "com.example.app:1", "--kafka.bootstrap.servers", "127.0.0.1:1", "--output", "json",
            ], timeout: .milliseconds(100))
        #expect(exitCode == 1)
        #expect(
            try Self.seen(printed) == [
                "configuration: ok", "clock: ok", "root: ok", "ocsp: skipped", "dns: ok", "connection: problem",
                "brokers: problem", "topic: unknown", "right: unknown", "message-sizes: ok", "api: skipped",
                "clock: unknown",
            ])
        #expect(printed.output.contains(#""subject":"Apple Root CA - G3","found":"built in, fingerprint 63343abf"#))
    }

    @Test func `an identity provider that does not listen is a problem`() async throws {
        let directory = try TemporaryDirectory()
        let secret = try directory.write("secret\n", to: "secret")
        let (exitCode, printed) = await sluicectl(
            [
                "doctor", "--apps", "com.example.app:1", "--kafka.bootstrap.servers", "127.0.0.1:1",
                "--kafka.security.protocol", "SASL_PLAINTEXT", "--kafka.sasl.mechanism", "OAUTHBEARER",
                "--kafka.token.provider", "client-credentials", "--kafka.token.endpoint.url",
                "https://127.0.0.1:1/token", "--kafka.token.client.id", "sluice", "--kafka.token.client.secret.file",
                secret, "--output", "json",
            ], timeout: .milliseconds(100))
        #expect(exitCode == 1)
        let findings = try #require(try printed.objects.first?["findings"]?.array)
        let found = findings.compactMap(\.object).first {
            $0["what"]?.string == "connection"
                && $0["found"]?.string?.hasPrefix("kafka.token.endpoint.url: ") == true
        }
        #expect(found?["status"]?.string == "problem", "\(printed.output) \(printed.complaints)")
    }

    // MARK: OCSP responders

    /// A responder, and certificates with a leaf that names it.
    private final class Responder: Sendable {
        private let pki = Mutex<TestCertificateAuthority?>(nil)
        private let status: OCSPResponder.Status
        private let server = Mutex<HTTPServer?>(nil)

        init(_ status: OCSPResponder.Status) throws {
            try initializeCryptography()
            self.status = status
            let server = HTTPServer(listeners: [
                Listener(
                    name: "ocsp", host: "127.0.0.1", port: 0, limits: .readAPI, admit: { _ in .body(limit: 4096) },
                    handle: { [weak self] request, exchange in
                        exchange.respond(self?.answer(request.body) ?? .text("no", status: 500))
                    })
            ])
            try server.start()
            self.server.withLock { $0 = server }
            var options = TestCertificateAuthority.Options(now: Signed.now / 1_000)
            options.leafOCSPAddress = "http://127.0.0.1:\(server.port())/"
            let made = try TestCertificateAuthority(options)
            pki.withLock { $0 = made }
        }

        private func answer(_ request: [UInt8]) -> HTTPResponse? {
            guard let pki = pki.withLock({ $0 }), let key = pki.authorityKeys?.intermediate,
                let answer = try? OCSPResponder(issuer: pki.intermediate, signer: pki.intermediate, key: key)
                    .answer(request: request, at: Signed.now / 1_000, status: { _ in status })
            else { return nil }
            return HTTPResponse(status: 200, reason: "ocsp", body: answer)
        }

        /// Returns flags that name the root, the chain as a PEM file, and unreachable brokers.
        func flags(_ directory: TemporaryDirectory) throws -> [String] {
            let pki = try #require(pki.withLock { $0 })
            let root = try directory.write(pki.root.der, to: "root.der")
            let chain = try directory.write(pki.leaf.pem + pki.intermediate.pem, to: "chain.pem")
            return [
                "--apps", "com.example.app:1", "--root.certificates", root, "--certificates", chain,
                "--kafka.bootstrap.servers", "127.0.0.1:1",
            ]
        }

        func body() throws -> [UInt8] {
            try NotificationSigner(JWSSigner(try #require(pki.withLock { $0 })))
                .sign(
                    .init(notification: Signed.notification, transactionInfo: Signed.transactionInfo, renewalInfo: "{}")
                )
                .body
        }

        func stop() async {
            await server.withLock { $0 }?.drain(within: .zero)
        }
    }

    private static func ocspFindings(_ arguments: [String]) async throws -> [String] {
        let (_, printed) = await sluicectl(
            ["doctor", "--output", "json"] + arguments, timeout: .milliseconds(100))
        let findings = try #require(try printed.objects.first?["findings"]?.array, "\(printed.complaints)")
        return findings.compactMap(\.object).filter { $0["what"]?.string == "ocsp" }
            .map { "\($0["status"]?.string ?? "?"): \($0["found"]?.string ?? "?")" }
    }

    @Test(arguments: [
        (OCSPResponder.Status.good, "ok: ", "reports status good"),
        (.revoked(at: Signed.now / 1_000 - 60, reason: 1), "problem: ", "reports status revoked"),
        (.unknown, "problem: ", "unknownCertificate"),
    ])
    func `a responder is queried about each certificate`(
        _ status: OCSPResponder.Status, _ outcome: String, _ part: String
    ) async throws {
        let (responder, directory) = (try Responder(status), try TemporaryDirectory())
        let findings = try await Self.ocspFindings(try responder.flags(directory))
        await responder.stop()
        try #require(findings.count == 2, "\(findings)")
        #expect(findings[0].hasPrefix(outcome) && findings[0].contains(part), "\(findings)")
        #expect(findings[1].hasPrefix("warning: contains no OCSP responder URL, so its status is unknown"))
    }

    @Test func `the certificates may come from a notification`() async throws {
        let (responder, directory) = (try Responder(.good), try TemporaryDirectory())
        let body = try directory.write(try responder.body(), to: "body.json")
        let flags = try responder.flags(directory).map { $0 == "--certificates" ? "--jws" : $0 }
            .map { $0.hasSuffix("chain.pem") ? body : $0 }
        let findings = try await Self.ocspFindings(flags)
        await responder.stop()
        #expect(findings.first?.hasPrefix("ok: http://127.0.0.1:") == true, "\(findings)")
    }

    @Test func `an unreachable responder is reported`() async throws {
        let (responder, directory) = (try Responder(.good), try TemporaryDirectory())
        let flags = try responder.flags(directory)
        await responder.stop()
        let findings = try await Self.ocspFindings(flags)
        #expect(findings.first?.contains("is unreachable") == true, "\(findings)")
    }

    @Test func `no responder is contacted for untrusted certificates`() async throws {
        let (responder, directory) = (try Responder(.good), try TemporaryDirectory())
        let flags = try responder.flags(directory).filter { $0 != "--root.certificates" && !$0.hasSuffix("root.der") }
        let findings = try await Self.ocspFindings(flags)
        await responder.stop()
        #expect(findings.count == 1)
        #expect(findings.first?.contains("do not chain to a pinned root") == true, "\(findings)")
    }
}
