internal import AppStoreModel
internal import Cryptography
internal import HTTPClient
internal import JSON
internal import Kafka
internal import SQLite
internal import Telemetry

/// `sluicectl version`: versions of this build and of its libraries.
enum VersionCommand {
    static func run(_ output: OutputFormat, _ console: Console) async {
        switch output {
        case .text: await console.write(text())
        case .json: await console.write(line: JSONValue.object(json()).json)
        }
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

    /// Swift exposes neither its compiler's nor its library's version at run time; only a minimum compiler version can
    /// be tested at compile time.
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
