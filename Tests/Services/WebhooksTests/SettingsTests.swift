import AppStoreModel
import CommandLine
import Configuration
import PipelineRuntime
import Records
import TestSupport
import Testing

@testable import Webhooks

@Suite struct SettingsTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// Returns a valid command line with some flags changed; nil omits a flag.
    private func arguments(_ changes: [String: String?]) throws -> [String] {
        let secrets = try directory.write(TestKey.line(TestKey.first), to: "secrets")
        var flags: [String: String] = [
            "--webhooks.url": "https://api.example.com/x", "--webhooks.secret.file": secrets,
        ]
        for (flag, value) in changes { flags[flag] = value }
        return flags.sorted { $0.key < $1.key }.flatMap {
            [$0.key, $0.value.replacing("DIR", with: directory.path)]
        }
    }

    private func settings(_ changes: [String: String?] = [:]) throws -> WebhooksConfiguration {
        try WebhooksConfiguration(configuration(arguments(changes)))
    }

    @Test func `an https URL and a key suffice, and production states are sent`() throws {
        let settings = try settings()
        #expect(settings.environments == [.production])
        #expect(settings.timeout == .seconds(10))
        #expect(try self.settings(["--webhooks.environments": "Sandbox,Production,Sandbox"]).environments.count == 2)
    }

    @Test(arguments: [
        "http://127.0.0.1/", "http://127.1.2.3:8080/x?y", "http://localhost:1", "http://LOCALHOST", "http://[::1]:80/",
        "https://api.example.com:8443/a?b=c", "HTTPS://api.example.com",
    ])
    func `a plaintext URL is accepted for this machine`(url: String) throws {
        #expect(try settings(["--webhooks.url": url]).url == url)
    }

    @Test(arguments: [
        "http://api.example.com/", "http://127.0.0.1.example.com/", "http://127.0.0/", "http://localhost.example.com",
        "http://10.0.0.1/", "http://[::2]/",
    ])
    func `a plaintext URL of another host requires webhooks.insecure`(url: String) throws {
        let error = #expect(throws: ConfigurationError.self) { try settings(["--webhooks.url": url]) }
        #expect(error?.key == "webhooks.url")
        #expect(error?.message.contains("webhooks.insecure=true") == true)
        #expect(try settings(["--webhooks.url": url, "--webhooks.insecure": "true"]).url == url)
    }

    @Test(
        arguments: [
            ("--webhooks.url", "api.example.com", "https:// URL"),
            ("--webhooks.url", "ftp://api.example.com", "https:// URL"), ("--webhooks.url", "https://", "with a host"),
            ("--webhooks.url", "https://:443/", "with a host"), ("--webhooks.url", "https://a:0/", "with a host"),
            ("--webhooks.url", "https://a:b/", "with a host"), ("--webhooks.url", "https://a b/", "https:// URL"),
            ("--webhooks.url", "https://a/#b", "fragment"),
            ("--webhooks.secret.file", "/nonexistent", "No such file"),
            ("--webhooks.secret.file", "DIR", "not a regular file"), ("--webhooks.timeout", "0s", "from 100ms to 1m"),
            ("--webhooks.timeout", "5", "a duration such as"), ("--webhooks.concurrency", "0", "1 to 64"),
            ("--webhooks.environments", "Xcode", "Production, Sandbox"), ("--webhooks.insecure", "on", "true or false"),
            ("--webhooks.ca.file", "/nonexistent", "No such file"), ("--webhooks.urls", "https://a/", "--webhooks.url"),
        ] as [(String, String?, String)])
    func `an invalid setting is refused in one line that names it`(flag: String, value: String?, mention: String) throws
    {
        let arguments = try arguments([flag: value])
        let refusal = #expect(throws: Refusal.self) { try configuration(arguments) }
        #expect(refusal?.exitCode == (flag == "--webhooks.urls" ? 64 : 78))
        #expect(refusal?.lines.contains { $0.contains(mention) } == true, "\(refusal?.description ?? "")")
    }

    @Test(arguments: ["webhooks.url", "webhooks.secret.file"])
    func `a receiver without an address or a key is refused`(_ key: String) throws {
        let error = #expect(throws: ConfigurationError.self) { try settings(["--\(key)": nil]) }
        #expect(error?.code == .missing)
        #expect(error?.description.contains("\(key) is required") == true, "\(error?.description ?? "")")
    }

    @Test func `a password in the URL is refused and not printed`() throws {
        let error = #expect(throws: ConfigurationError.self) { try settings(["--webhooks.url": "https://me:word@a/"]) }
        #expect(error?.description.contains("user name or password") == true)
        #expect(error?.description.contains("word@") == false)
    }

    @Test(arguments: [
        ("webhooks.secret.file", "nonsense!", "line 1 is not base64; create a key with: echo whsec_"),
        ("webhooks.ca.file", "nonsense", "contains no PEM certificate"),
    ])
    func `a file of the wrong kind is refused`(key: String, text: String, mention: String) throws {
        let file = try directory.write(text, to: "file")
        let error = #expect(throws: ConfigurationError.self) { try settings(["--\(key)": file]) }
        #expect(error?.key == key)
        #expect(error?.message.contains(mention) == true, "\(error?.message ?? "")")
        #expect(error?.message.contains("nonsense") == false)
    }

    @Test func `help names every setting with its variable and default`() throws {
        guard case .show(let help) = WebhooksApplication.application.command.parse(["--help"], environment: [:]) else {
            Issue.record("no help")
            return
        }
        for text in [
            "SLUICE_WEBHOOKS_URL", "SLUICE_WEBHOOKS_SECRET_FILE", "webhooks.timeout", "default 10s", "9468",
            "default sluice-webhooks", "openssl rand -base64 32", "78 configuration",
        ] {
            #expect(help.contains(text), "\(text)")
        }
    }
}
