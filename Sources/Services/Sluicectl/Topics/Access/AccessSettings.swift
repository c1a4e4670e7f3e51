internal import CommandLine
internal import Configuration

/// The settings of `sluicectl topics acls`.
enum AccessSettings {
    static let all = "all"

    static let executable = Setting(
        "for", .oneOf([all] + AccessTable.Executable.allCases.map(\.rawValue)), default: all,
        help: "Executable whose ACLs are printed, or all."
    ).onCommandLineOnly
    static let principal = Setting(
        "principal", .principal,
        help: "Principal to grant access to. Default: `User:` and the executable's name.",
        example: "User:sluice-ingress"
    ).optional.onCommandLineOnly
    static let format = Setting<AccessFormat>.oneOf(
        "format", default: .text,
        help: """
            text prints a table; kafka-acls prints commands for Kafka's own tool; strimzi prints the acls of a \
            KafkaUser with authorization type simple.
            """
    ).onCommandLineOnly
}

/// The text format in which permissions are printed.
enum AccessFormat: String, CaseIterable, Sendable {
    case text, strimzi
    case kafkaAcls = "kafka-acls"
}

extension ValueKind where Value == String {
    /// A Kafka principal: type and name.
    static var principal: ValueKind {
        ValueKind(
            name: "PRINCIPAL", expected: "a type and a name, such as User:sluice-ingress", example: "User:sluice",
            text: { $0 }
        ) { text throws(SettingError) in
            let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }) else {
                throw SettingError("must be a type and a name, such as User:sluice-ingress")
            }
            guard PlainText.printable(text, maximum: .max) == text else {
                throw SettingError("has a control character")
            }
            guard parts[1] != "*" else { throw SettingError("means every user; specify a single user") }
            return text
        }
    }
}
