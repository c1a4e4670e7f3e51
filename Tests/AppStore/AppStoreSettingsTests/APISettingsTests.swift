import AppStoreModel
import AppStoreServerAPI
import AppStoreSettings
import CommandLine
import Configuration
import Cryptography
import Foundation
import TestSupport
import Testing

/// The settings of the App Store Server API, for all apps and for a single app.
@Suite struct APISettingsTests {
    private let directory: TemporaryDirectory
    private let key: String
    private let otherKey: String

    init() throws {
        try initializeCryptography()
        directory = try TemporaryDirectory()
        key = try directory.write(try PrivateKey.generate(.p256).pem(), to: "key.p8")
        otherKey = try directory.write(try PrivateKey.generate(.p256).pem(), to: "other.p8")
        for path in [key, otherKey] { #expect(chmod(path, 0o400) == 0) }
    }

    private static let command = Command(
        "sluice-x", summary: "",
        schema: ConfigurationSchema(
            [AppStoreSettings.apps, AppStoreSettings.environments] + AppStoreSettings.apiSettings))

    /// Returns the settings, or the lines of the error.
    private func read(_ settings: KeyValuePairs<String, String>) throws -> (AppStoreSettings.API?, refusal: String) {
        let file = try directory.write(
            "apps=com.example.one:1,com.example.two:2\n" + settings.map { "\($0.key)=\($0.value)\n" }.joined(),
            to: "sluice.properties")
        switch Self.command.parse(["--config", file], environment: [:]) {
        case .run(let invocation):
            do throws(ConfigurationError) {
                return (try AppStoreSettings.api(invocation.configuration), "")
            } catch {
                return (nil, error.description)
            }
        case .refuse(let lines, _): return (nil, lines.joined(separator: "\n"))
        case .show(let text): return (nil, text)
        }
    }

    @Test func `without settings there are no credentials, and Apple's URLs are the defaults`() throws {
        let api = try #require(try read([:]).0)
        #expect(api.configuration.credentials.isEmpty)
        #expect(api.configuration.productionURL == "https://api.storekit.apple.com")
        #expect(api.configuration.sandboxURL == "https://api.storekit-sandbox.apple.com")
        #expect(api.warnings.isEmpty)
    }

    @Test func `all apps share one key, and an app may have its own`() throws {
        let api = try #require(
            try read([
                "appstore.api.issuer.id": "issuer", "appstore.api.key.id": "key", "appstore.api.key.file": key,
                "apps.com.example.two.api.key.id": "other", "apps.com.example.two.api.key.file": otherKey,
                "appstore.api.url": "http://127.0.0.1:8090/", "appstore.api.sandbox.url": "https://example.com/api",
            ]).0)
        #expect(
            api.configuration.credentials == [
                BundleId("com.example.one"): APICredentials(issuerId: "issuer", keyId: "key", keyFile: key),
                BundleId("com.example.two"): APICredentials(issuerId: "issuer", keyId: "other", keyFile: otherKey),
            ])
        #expect(api.configuration.productionURL == "http://127.0.0.1:8090")
        #expect(api.configuration.sandboxURL == "https://example.com/api")
        #expect(api.warnings.isEmpty)
    }

    @Test func `a key may be configured for one app only`() throws {
        let api = try #require(
            try read([
                "apps.com.example.one.api.issuer.id": "issuer", "apps.com.example.one.api.key.id": "key",
                "apps.com.example.one.api.key.file": key,
            ]).0)
        #expect(Set(api.configuration.credentials.keys) == [BundleId("com.example.one")])
    }

    @Test func `the error names the missing setting`() throws {
        let issuer = try read(["appstore.api.key.id": "key", "appstore.api.key.file": key])
        #expect(issuer.refusal.contains("appstore.api.issuer.id"))
        #expect(issuer.refusal.contains("apps.com.example.one.api.issuer.id"))
        let keyId = try read(["appstore.api.issuer.id": "issuer", "appstore.api.key.file": key])
        #expect(keyId.refusal.contains("appstore.api.key.id"))
        let file = try read(["appstore.api.issuer.id": "issuer", "appstore.api.key.id": "key"])
        #expect(file.refusal.contains("appstore.api.key.file"))
    }

    @Test(arguments: [PrivateKey.Kind.p384, .rsa(bits: 2048), .ed25519])
    func `a key of another type is rejected with the setting and the fix`(kind: PrivateKey.Kind) throws {
        let wrong = try directory.write(try PrivateKey.generate(kind).pem(), to: "wrong.p8")
        let global = try read([
            "appstore.api.issuer.id": "issuer", "appstore.api.key.id": "key", "appstore.api.key.file": wrong,
        ])
        #expect(global.refusal.contains("appstore.api.key.file"))
        #expect(global.refusal.contains("P-256") && global.refusal.contains("App Store Connect"))
        let own = try read([
            "appstore.api.issuer.id": "issuer", "appstore.api.key.id": "key", "appstore.api.key.file": key,
            "apps.com.example.two.api.key.file": wrong,
        ])
        #expect(own.refusal.contains("apps.com.example.two.api.key.file"))
    }

    @Test func `an invalid or missing key file is rejected without showing its content`() throws {
        let text = try directory.write("-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----\n", to: "x.p8")
        let refused = try read([
            "appstore.api.issuer.id": "issuer", "appstore.api.key.id": "key", "appstore.api.key.file": text,
        ])
        #expect(refused.refusal.contains("appstore.api.key.file"))
        #expect(!refused.refusal.contains("c2VjcmV0"))
        let absent = try read([
            "appstore.api.issuer.id": "issuer", "appstore.api.key.id": "key",
            "appstore.api.key.file": directory.file("absent.p8"),
        ])
        #expect(absent.refusal.contains("No such file or directory"))
    }

    @Test func `a world-readable key file is a warning`() throws {
        #expect(chmod(key, 0o444) == 0)
        let api = try #require(
            try read([
                "appstore.api.issuer.id": "issuer", "appstore.api.key.id": "key", "appstore.api.key.file": key,
            ]).0)
        #expect(api.warnings.map(\.setting) == ["appstore.api.key.file"])
        #expect(api.warnings.first?.description.contains(key) == true)
    }

    @Test(arguments: [
        "http://simulator:8090", "HTTP://api.example.com", "http://127.example.com", "http://[::ffff:10.0.0.5]:8090",
        "http://10.0.0.5", "http://0.0.0.0:8090", "http://localhost.example.com", "http://[::2]",
    ])
    func `http to another host is rejected with the fix`(url: String) throws {
        for setting in ["appstore.api.url", "appstore.api.sandbox.url"] {
            let refusal = try read([setting: url]).refusal
            #expect(refusal.contains(setting) && refusal.contains("unencrypted") && refusal.contains("https://"))
        }
    }

    @Test(arguments: ["http://localhost:8090", "http://127.0.0.1", "http://127.1.2.3:1/api", "http://[::1]:8090"])
    func `http to the local host is accepted`(url: String) throws {
        let api = try #require(try read(["appstore.api.url": url]).0)
        #expect(api.configuration.productionURL == url)
        #expect(api.warnings.isEmpty)
    }

    @Test(arguments: [
        "ftp://example.com", "example.com", "https://", "https://a:b@example.com", "https://e.com/?x=1",
        "https://e.com/#a",
    ])
    func `an invalid base URL is rejected`(url: String) throws {
        #expect(try read(["appstore.api.url": url]).refusal.contains("appstore.api.url"))
    }

    @Test func `a misspelled key of an app is rejected with a suggestion`() throws {
        let refusal = try read(["apps.com.example.one.api.key.fil": key]).refusal
        #expect(refusal.contains("apps.com.example.one.api.key.file"))
    }

    /// Executables that read only the apps' environments share a file with executables that read the apps' keys.
    @Test func `an executable without the API ignores its settings, but not misspelled ones`() throws {
        let schema = ConfigurationSchema([AppStoreSettings.apps, AppStoreSettings.environments])
            .tolerating(Self.command.schema.sharedKeys)
        let command = Command("sluice-y", summary: "", schema: schema)
        let good = try directory.write(
            "apps=com.example.one:1\napps.com.example.one.api.key.id=k\nappstore.api.key.id=k\n", to: "good")
        guard case .run = command.parse(["--config", good], environment: [:]) else {
            Issue.record("a setting of another executable was refused")
            return
        }
        let wrong = try directory.write("apps=com.example.one:1\napps.com.example.one.api.key.idd=k\n", to: "wrong")
        guard case .refuse(_, 78) = command.parse(["--config", wrong], environment: [:]) else {
            Issue.record("an invalid key was accepted")
            return
        }
    }
}
