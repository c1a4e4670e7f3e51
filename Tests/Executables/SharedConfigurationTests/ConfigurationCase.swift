import Archive
import CommandLine
import Configuration
import Cryptography
import Foundation
import Ingress
import Lifecycle
import PipelineRuntime
import Telemetry
import TestSupport
import Testing

@testable import Entitlements
@testable import Reconciler
@testable import Refunds
@testable import Webhooks

/// An executable with two readers of its configuration: `sluicectl config check` and its own startup.
enum CheckedExecutable: String, Sendable {
    case ingress, entitlements, refunds, reconciler, archive, webhooks

    private var application: ConsumerApplication? {
        switch self {
        case .ingress: nil
        case .entitlements: EntitlementsApplication.application
        case .refunds: RefundsApplication.application
        case .reconciler: ReconcilerApplication.application
        case .archive: ArchiveApplication.application
        case .webhooks: WebhooksApplication.application
        }
    }

    var command: Command { application?.command ?? IngressApplication.command }

    /// Runs the check of `sluicectl config check --for`.
    func check(_ configuration: Configuration) throws(ConfigurationError) {
        switch self {
        case .ingress: _ = try IngressConfiguration(configuration)
        case .entitlements: try EntitlementsSettings.check(configuration)
        case .refunds: try RefundsSettings.check(configuration)
        case .reconciler: try ReconcilerSettings.check(configuration)
        case .archive: try ArchiveSettings.check(configuration)
        case .webhooks: try WebhooksSettings.check(configuration)
        }
    }

    /// Runs the executable's startup up to the point where it would serve, including the connection to brokers.
    func start(_ configuration: Configuration) async throws {
        let logger = Logger(label: rawValue, level: .error, format: .json, sink: MemoryLogSink())
        let metrics = MetricsRegistry()
        if let application {
            for service in try await application.services(configuration, logger: logger, metrics: metrics).reversed() {
                await service.stop(within: .zero)
            }
        } else {
            let ingress = IngressService(try IngressConfiguration(configuration), logger: logger, metrics: metrics)
            try await ingress.start()
            await ingress.stop(within: .zero)
        }
    }
}

/// Properties that an executable must reject.
struct ConfigurationCase: Sendable, CustomTestStringConvertible {
    let executable: CheckedExecutable
    /// Properties in addition to a valid configuration. `{directory}` is replaced with the test's directory.
    let properties: [String: String]
    /// The key that the error must name.
    let key: String

    init(_ executable: CheckedExecutable, _ properties: [String: String], refuses key: String) {
        self.executable = executable
        self.properties = properties
        self.key = key
    }

    var testDescription: String {
        "\(executable.rawValue): " + properties.sorted { $0.key < $1.key }.map { "\($0)=\($1)" }.joined(separator: " ")
    }
}

/// Files and properties that every executable needs to start.
struct ValidConfiguration {
    let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        _ = try directory.write(try PrivateKey.generate(.p256).pem(), to: "api.p8")
        _ = try directory.write(try PrivateKey.generate(.ed25519).pem(), to: "signing.pem")
        _ = try directory.write([UInt8](repeating: 1, count: 32), to: "kek")
        _ = try directory.write("whsec_" + Data(repeating: 7, count: 32).base64EncodedString() + "\n", to: "secret")
        _ = try directory.write("text\n", to: "file")
    }

    /// The names of all files in the directory.
    var contents: Set<String> {
        get throws { Set(try FileManager.default.subpathsOfDirectory(atPath: directory.path)) }
    }

    private static let api = [
        "appstore.api.issuer.id": "issuer", "appstore.api.key.id": "key", "appstore.api.key.file": "{directory}/api.p8",
    ]

    private func properties(_ executable: CheckedExecutable) -> [String: String] {
        let apps = ["apps": "com.example.app:1", "data.dir": "{directory}/data", "revocation": "off"]
        let own: [String: String] =
            switch executable {
            case .ingress: ["apps": "com.example.app:1", "http.port": "0", "revocation": "off"]
            case .entitlements: apps
            case .refunds, .reconciler: apps.merging(Self.api) { $1 }
            case .archive:
                [
                    "archive.url": "{directory}/archive", "archive.origin": "example.com/archive",
                    "archive.signing.key.file": "{directory}/signing.pem",
                    "archive.key.store": "{directory}/keys.sqlite",
                    "archive.key.encryption.key.file": "{directory}/kek", "data.dir": "{directory}/data",
                ]
            case .webhooks:
                [
                    "webhooks.url": "https://api.example.com/", "webhooks.secret.file": "{directory}/secret",
                    "data.dir": "{directory}/data",
                ]
            }
        return own.merging(["admin.port": "0", "profile": "single-node"]) { $1 }
    }

    /// Reads an executable's configuration from a file, with the executable's own command line parser.
    ///
    /// - Throws: ``Refused`` when the parser already rejects the file.
    func configuration(
        _ executable: CheckedExecutable, _ further: [String: String], brokers: String
    ) throws -> Configuration {
        let all = properties(executable).merging(further) { $1 }
        let lines = all.map { "\($0)=\($1.replacing("{directory}", with: directory.path))" }
        let file = try directory.write(lines.joined(separator: "\n"), to: "\(UUID().uuidString).properties")
        switch executable.command.parse(
            ["--config", file, "--kafka.bootstrap.servers", brokers], environment: [:])
        {
        case .run(let invocation): return invocation.configuration
        case .refuse(let lines, _): throw Refused(lines: lines)
        case .show: throw Refused(lines: [])
        }
    }

    struct Refused: Error {
        let lines: [String]
    }
}
