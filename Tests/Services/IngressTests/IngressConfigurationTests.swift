import AppStoreModel
import AppStoreSigning
import AppStoreVerification
import CommandLine
import Configuration
import Cryptography
import Foundation
import Kafka
import Records
import ServiceKit
import TestSupport
import Testing

@testable import Ingress

@Suite struct IngressConfigurationTests {
    private static let apps = ["--apps", "com.example.app:1234567890"]

    private enum Outcome {
        case settings(IngressConfiguration)
        case refused([String], exitCode: Int32)
    }

    /// Returns the outcome of a command line, environment and file.
    private func read(
        _ flags: [String] = apps, environment: [String: String] = [:], file: String? = nil
    ) throws -> Outcome {
        let directory = try TemporaryDirectory()
        var arguments = flags
        if let file {
            arguments += ["--config", try directory.write(file, to: "sluice.properties")]
        }
        switch IngressApplication.command.parse(arguments, environment: environment) {
        case .run(let invocation):
            do {
                return .settings(try IngressConfiguration(invocation.configuration))
            } catch {
                return .refused([error.description], exitCode: error.exitCode)
            }
        case .refuse(let lines, let exitCode): return .refused(lines, exitCode: exitCode)
        case .show(let text): return .refused([text], exitCode: 0)
        }
    }

    private func settings(
        _ flags: [String] = apps, environment: [String: String] = [:], file: String? = nil
    ) throws -> IngressConfiguration {
        switch try read(flags, environment: environment, file: file) {
        case .settings(let settings): return settings
        case .refused(let lines, _):
            Issue.record("\(lines)")
            throw CancellationError()
        }
    }

    /// Returns the lines of an error, which must have exit code 78.
    private func refusal(
        _ flags: [String] = apps, environment: [String: String] = [:], file: String? = nil
    ) throws -> [String] {
        switch try read(flags, environment: environment, file: file) {
        case .settings:
            Issue.record("not refused")
            return []
        case .refused(let lines, let exitCode):
            #expect(exitCode == 78)
            return lines
        }
    }

    @Test func `one app is enough, and every other setting has a default`() throws {
        let settings = try settings()
        #expect(settings.kafka.bootstrapServers == "localhost:9092")
        #expect(settings.topics == TopicNames(prefix: "appstore"))
        #expect(settings.profile == .production)
        #expect(settings.host == "0.0.0.0")
        #expect(settings.port == 8080)
        #expect(settings.adminHost == "127.0.0.1")
        #expect(settings.adminPort == 9464)
        #expect(settings.verifier.roots == [AppleRootCertificate.g3])
        #expect(
            settings.verifier.apps == [
                AppIdentity(
                    bundleId: BundleId("com.example.app"), appAppleId: AppAppleId(1_234_567_890),
                    environments: [.production, .sandbox])
            ])
        #expect(settings.verifier.revocation == .soft)
        #expect(settings.verifier.requiresVersion)
        #expect(settings.workers == max(1, ProcessInfo.processInfo.activeProcessorCount))
        #expect(settings.rememberedNotifications == 100_000)
        #expect(settings.quarantineBytesPerHour == 64 << 20)
    }

    @Test(arguments: [([], "none"), (["--kafka.compression.codec", "lz4"], "lz4")])
    func `records are compressed only if configured`(flags: [String], codec: String) throws {
        let settings = try settings(Self.apps + flags)
        #expect(settings.kafka.effectiveProperties(for: .producer)["compression.codec"] == codec)
    }

    @Test func `each app has its own environments`() throws {
        let settings = try settings(
            [], environment: ["SLUICE_APPS": "com.example.one:1, com.example.two:2,com.example.three:3"],
            file: "apps.com.example.one.environments=Production\napps.com.example.two.environments=Sandbox")
        #expect(
            settings.verifier.apps.map(\.environments) == [[.production], [.sandbox], [.production, .sandbox]])
        #expect(settings.verifier.apps.map(\.appAppleId.rawValue) == [1, 2, 3])
    }

    @Test func `key tables are off by default`() throws {
        #expect(try settings().verifier.tables == FixedKeyTables(isOn: false, recheckedOneIn: 256))
        let on = try settings(Self.apps + ["--verification.tables", "on", "--verification.tables.recheck", "1"])
        #expect(on.verifier.tables == FixedKeyTables(isOn: true, recheckedOneIn: 1))
    }

    @Test func `roots are read from PEM and DER files, in the order given`() throws {
        let store = try TestAppStore.shared()
        let directory = try TemporaryDirectory()
        let pem = try directory.write(store.pki.root.pem, to: "a.pem")
        let der = try directory.write(store.untrusted.root.der, to: "b.der")
        let settings = try settings(Self.apps + ["--root.certificates", "\(pem),\(der)"])
        #expect(settings.verifier.roots == [store.pki.root.der, store.untrusted.root.der])
    }

    @Test func `a root file that cannot be read or contains no certificate is reported with key and file`() throws {
        let missing = try refusal(Self.apps + ["--root.certificates", "/no/such.pem"])
        #expect(missing.count == 1)
        #expect(missing.first?.contains("root.certificates (--root.certificates)") == true, "\(missing)")
        #expect(missing.first?.contains("/no/such.pem") == true)
        let directory = try TemporaryDirectory()
        for text in ["", "nonsense", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"] {
            let file = try directory.write(text, to: "root.pem")
            let lines = try refusal(Self.apps + ["--root.certificates", file])
            #expect(lines.count == 1)
            #expect(lines.first?.contains("root.certificates (--root.certificates)") == true, "\(lines)")
            #expect(lines.first?.contains("root.pem") == true)
        }
    }

    @Test func `an ingress without apps does not start`() throws {
        let lines = try refusal([])
        #expect(lines.count == 1)
        #expect(lines.first?.contains("apps is required") == true, "\(lines)")
        #expect(lines.first?.contains("SLUICE_APPS") == true)
    }

    @Test(arguments: [
        "com.example.app", "com.example.app:", ":1", "com.example.app:0", "com.example.app:-1", "com.example.app:1:2",
        "com.example.app:99999999999999999999", "com example:1", "com/example:1", "com.exämple:1",
        "com.example.app:1,com.example.app:2",
    ])
    func `an invalid app is refused with key and source`(value: String) throws {
        let lines = try refusal([], file: "apps=\(value)")
        #expect(lines.count == 1)
        #expect(lines.first?.contains("apps (") == true, "\(lines)")
        #expect(lines.first?.contains("sluice.properties:1") == true, "\(lines)")
    }

    @Test func `connections of proxies are kept for 75 seconds, or for http.idle`() throws {
        #expect(try settings().proxyIdleTime == .seconds(75))
        #expect(try settings(Self.apps + ["--http.idle", "620s"]).proxyIdleTime == .seconds(620))
    }

    @Test(arguments: [
        ("apps.com.example.app.environments", "Xcode"), ("apps.com.example.app.environments", "production"),
        ("http.port", "65536"), ("http.port", "x"), ("admin.port", "-1"), ("profile", "test"), ("revocation", "on"),
        ("verification.workers", "0"), ("verification.workers", "65"), ("verification.tables", "yes"),
        ("verification.tables.recheck", "0"), ("duplicates.remembered", "0"),
        ("quarantine.bytes.per.hour", "1"), ("http.proxies", "10.0.0.0/33"), ("http.proxies", "proxy.example.com"),
        ("http.idle", "0s"), ("http.idle", "2h"),
        ("kafka.nonsense", "1"), ("kafka.acks", "1"), ("kafka.enable.idempotence", "false"), ("htp.port", "1"),
    ])
    func `an invalid value or unknown key is reported with key and source`(key: String, value: String) throws {
        let lines = try refusal(Self.apps, file: "\n\(key)=\(value)")
        #expect(lines.count == 1)
        #expect(lines.first?.contains(key) == true, "\(lines)")
        #expect(lines.first?.contains("sluice.properties:2") == true, "\(lines)")
        #expect(lines.first?.contains("\n") == false)
    }
}
