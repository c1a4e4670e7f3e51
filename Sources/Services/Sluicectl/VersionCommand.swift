internal import AppStoreModel
internal import CommandLine
internal import Configuration
internal import Cryptography
internal import HTTPClient
internal import JSON
internal import Kafka
internal import Lifecycle
internal import SQLite
internal import Telemetry

/// `sluicectl version`: prints the versions of this build and its libraries.
enum VersionCommand {
    static func run(_ configuration: Configuration, _ console: Console) async -> ExitCode {
        await console.write(configuration, text: text(), json: json())
        return .ok
    }

    static func text() -> String {
        PlainText.table([
            ["sluice", Build.version],
            ["Swift", "\(compiler) (compiler)"],
            ["librdkafka", librdkafkaVersion],
            ["OpenSSL", cryptographyVersion],
            ["SQLite", sqliteVersion],
            ["libcurl", libcurlVersion],
        ])
    }

    static func json() -> JSONObject {
        [
            OutputName.sluice: .string(Build.version), OutputName.swift: .string(compiler),
            OutputName.librdkafka: .string(librdkafkaVersion), OutputName.openssl: .string(cryptographyVersion),
            OutputName.sqlite: .string(sqliteVersion), OutputName.libcurl: .string(libcurlVersion),
            OutputName.formats: .object(formats()),
        ]
    }

    private static func formats() -> JSONObject {
        var object = JSONObject()
        for (name, version) in StoredFormats.versions { object[name] = .integer(Int64(version)) }
        return object
    }

    /// The version of the compiler, as far as conditional compilation can determine it. Swift does not expose the
    /// version of its compiler or library at run time.
    static var compiler: String {
        #if compiler(>=6.5)
            "6.5 or later"
        #elseif compiler(>=6.4)
            "6.4"
        #elseif compiler(>=6.3)
            "6.3"
        #else
            "6.2"
        #endif
    }
}
