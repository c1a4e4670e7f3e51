import Foundation
import TestSupport

@testable import CommandLine
@testable import Configuration

enum Mode: String, CaseIterable, Sendable {
    case strict, soft, off
}

/// The settings of a fictitious executable, one of each kind.
enum TestSettings {
    static let apps = Setting.strings(
        "apps", help: "Apps whose notifications are accepted.", example: "com.example.app:1")
    static let environments = Setting.strings(
        "apps.<bundleId>.environments", default: ["Production"], help: "Environments of one app.", example: "Sandbox")
    static let secret = Setting.secretFile("apps.<bundleId>.shared.secret.file", help: "The app's shared secret.")
        .optional
    static let port = Setting.integer("http.port", default: 8080, in: 0...65535, help: "Port of the public listener.")
    static let host = Setting.string("http.host", default: "0.0.0.0", help: "Address of the public listener.")
    static let mode = Setting<Mode>.oneOf("revocation", default: .soft, help: "How OCSP answers count.")
    static let wait = Setting.duration(
        "request.time-out", default: .seconds(5), in: .milliseconds(1)...Duration.seconds(60), help: "How long to wait."
    )
    static let body = Setting.byteSize("body_limit", default: 256 << 10, in: 1...(1 << 30), help: "Longest body.")
    static let verbose = Setting.boolean("verbose", default: false, help: "Say more.")
    static let roots = Setting.readableFiles("root.certificates", help: "Roots to trust.").optional
    static let dryRun = Setting<Bool>.flag("dry-run", help: "Change nothing.")
    static let output = Setting.string("output", default: "text", help: "Form of the output.").onCommandLineOnly

    static let schema = ConfigurationSchema(
        [apps, environments, secret, port, host, mode, wait, body, verbose, roots, dryRun, output],
        openPrefixes: [
            OpenPrefix("kafka.", help: "Any librdkafka property.", example: "kafka.security.protocol=SASL_SSL")
        ],
        alsoKnown: ["refunds.", "entitlements.url"])

    static let command = Command(
        "sluice-test", summary: "shows what a command can do.", schema: schema,
        examples: [Command.Example("sluice-test --apps com.example.app:1", "Accept one app")], version: "1.2.3")
}

/// Parses a configuration file, an environment and flags with the test command.
func parse(
    file: String? = nil, environment: [String: String] = [:], flags: [String] = ["--apps", "com.example.app:1"],
    command: Command = TestSettings.command
) throws -> CommandOutcome {
    guard let file else { return command.parse(flags, environment: environment) }
    return try withFile(Array(file.utf8)) { path in
        command.parse(flags + ["--config", path], environment: environment)
    }
}

func withFile<Result>(_ bytes: [UInt8], _ body: (String) throws -> Result) throws -> Result {
    let directory = try TemporaryDirectory()
    return try body(directory.write(bytes, to: "sluice.properties"))
}

extension CommandOutcome {
    var configuration: Configuration? {
        if case .run(let invocation) = self { invocation.configuration } else { nil }
    }

    var lines: [String] {
        if case .refuse(let lines, _) = self { lines } else { [] }
    }

    var exitCode: Int32? {
        if case .refuse(_, let code) = self { code } else { nil }
    }

    var text: String? {
        if case .show(let text) = self { text } else { nil }
    }
}
