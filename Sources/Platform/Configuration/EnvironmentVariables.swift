/// The mapping between keys and environment variables. A variable's name is the prefix followed by the key in upper
/// case, with `.` → `_`, `_` → `__` and `-` → `___`.
public struct EnvironmentVariables: Sendable {
    /// The prefix that Sluice's executables use.
    public static let sluicePrefix = "SLUICE_"

    /// The prefix with its underscore. An unknown variable with this prefix is an error.
    public let prefix: String

    public init(prefix: String = sluicePrefix) { self.prefix = prefix }

    /// The variable that names the configuration file. It is not a setting.
    public var configurationFile: String { prefix + "CONFIG" }
    /// The prefix of variables used by tests.
    var testPrefix: String { prefix + "TEST_" }

    /// Returns the variable for a setting, or nil if the setting cannot be given as a variable.
    package func variable(of setting: SettingDescriptor) -> String? {
        setting.isCommandLineOnly || setting.template != nil ? nil : variable(for: setting.key)
    }

    package func variable(for key: String) -> String {
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

    /// Returns the key for a variable under an open prefix, or nil if the variable does not begin with ``prefix``. In
    /// each run of underscores, every `___` becomes `-`; a remaining `__` becomes `_`, and a remaining `_` becomes `.`.
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

    /// Whether Kubernetes created the variable for a service in the namespace (a "service link"). A service named
    /// `sluice-kafka` adds `SLUICE_KAFKA_PORT=tcp://…` to every pod that starts after it. Rejecting the variable would
    /// prevent a pod from starting because of an unrelated service.
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
