/// How keys and environment variables correspond: the prefix, upper case, `.` → `_`, `_` → `__`, `-` → `___`.
public struct EnvironmentVariables: Sendable {
    /// That of Sluice's executables.
    public static let sluicePrefix = "SLUICE_"

    /// With the underscore; each variable with it is a setting, or an error.
    public let prefix: String

    public init(prefix: String = sluicePrefix) { self.prefix = prefix }

    /// Names the configuration file; not a setting.
    public var configurationFile: String { prefix + "CONFIG" }
    /// Variables with this prefix belong to the tests.
    var testPrefix: String { prefix + "TEST_" }

    /// The variable of a setting; nil when it cannot be given by one.
    func variable(of setting: SettingDescriptor) -> String? {
        setting.isCommandLineOnly || setting.template != nil ? nil : variable(for: setting.key)
    }

    func variable(for key: String) -> String {
        var result = prefix
        for character in key {
            switch character {
            case ".": result += "_"
            case "_": result += "__"
            case "-": result += "___"
            default: result += character.uppercased()
            }
        }
        return result
    }

    /// The key of a variable, for open prefixes: three underscores are read as `-` first, then two as `_`.
    func key(for variable: String) -> String? {
        guard variable.hasPrefix(prefix) else { return nil }
        var result = ""
        var underscores = 0
        for character in variable.dropFirst(prefix.count) {
            if character == "_" {
                underscores += 1
                continue
            }
            result += Self.separators(underscores) + character.lowercased()
            underscores = 0
        }
        return result + Self.separators(underscores)
    }

    private static func separators(_ underscores: Int) -> String {
        let rest = underscores % 3
        return String(repeating: "-", count: underscores / 3) + (rest == 2 ? "_" : rest == 1 ? "." : "")
    }

    /// Whether Kubernetes made the variable for a service of the same name space (a "service link"). A service called
    /// `sluice-kafka` puts `SLUICE_KAFKA_PORT=tcp://…` into every pod that starts after it; such a variable is no
    /// setting, and refusing it would stop a pod because of a service that was added beside it.
    static func isServiceLink(_ variable: String, value: String) -> Bool {
        if variable.hasSuffix("_SERVICE_HOST") || variable.hasSuffix("_SERVICE_PORT")
            || variable.contains("_SERVICE_PORT_")
        {
            return true
        }
        let schemes = ["tcp://", "udp://", "sctp://"]
        if variable.hasSuffix("_PORT"), schemes.contains(where: value.hasPrefix) { return true }
        let parts = variable.split(separator: "_")
        guard let protocolIndex = parts.lastIndex(where: { $0 == "TCP" || $0 == "UDP" || $0 == "SCTP" }),
            protocolIndex >= 3, parts[protocolIndex - 2] == "PORT", Int(parts[protocolIndex - 1]) != nil
        else { return false }
        return true
    }
}
