/// Keys that the settings do not list one by one: every key that begins with the prefix is allowed and handed on, as
/// every librdkafka property is under `kafka.`.
///
/// A key that names a secret (see ``isSecret(_:)``) is masked wherever the configuration is shown, is refused as a
/// flag, and may be given as a file: `kafka.sasl.password.file=/run/secrets/kafka` sets `kafka.sasl.password`.
public struct OpenPrefix: Sendable {
    /// With the dot: `kafka.`.
    public let prefix: String
    /// One or two sentences for `--help`.
    public let help: String
    /// A valid line, such as `kafka.security.protocol=SASL_SSL`.
    public let example: String
    /// Keys under the prefix that may not be given, with the reason and the fix.
    public let refused: [String: String]
    /// Keys under the prefix that are settings of their own: every schema with the prefix has them.
    let settings: [SettingDescriptor]

    public init(
        _ prefix: String, help: String, example: String, refused: [String: String] = [:],
        settings: [any AnySetting] = []
    ) {
        self.settings = settings.map(\.descriptor)
        self.prefix = prefix
        self.help = help
        self.example = example
        self.refused = refused
    }

    /// Whether a key's value is a secret, by its name.
    public static func isSecret(_ key: String) -> Bool {
        let name = key.lowercased()
        return ["password", "passphrase", "secret", "key.pem", "jaas", "oauthbearer.config", "credential"].contains(
            where: name.contains)
            && !name.hasSuffix(".location")
    }
}

/// All settings that a command knows.
public struct ConfigurationSchema: Sendable {
    /// Settings in the order of the help.
    public let settings: [SettingDescriptor]
    /// Open prefixes in the order of the help.
    public let openPrefixes: [OpenPrefix]
    /// Keys, also with a placeholder, and prefixes that end with a dot, of other executables that may be in the same file
    /// or environment.
    public let alsoKnown: [String]
    /// How settings are given by environment variables.
    public let variables: EnvironmentVariables

    /// - Parameters:
    ///   - settings: in the order of the help.
    ///   - openPrefixes: keys that are handed on unread.
    ///   - alsoKnown: keys, also with a placeholder, and prefixes that end with a dot, of other executables: they may be in
    ///     the same file or environment and are not used.
    ///   - variables: how settings are given by environment variables.
    public init(
        _ settings: [any AnySetting] = [], openPrefixes: [OpenPrefix] = [], alsoKnown: [String] = [],
        variables: EnvironmentVariables = EnvironmentVariables()
    ) {
        self.init(
            descriptors: settings.map(\.descriptor), openPrefixes: openPrefixes, alsoKnown: alsoKnown,
            variables: variables)
    }

    init(
        descriptors: [SettingDescriptor], openPrefixes: [OpenPrefix], alsoKnown: [String],
        variables: EnvironmentVariables
    ) {
        var seen: Set<String> = []
        // Lists of several modules may have a setting in common.
        self.settings = (descriptors + openPrefixes.flatMap(\.settings)).filter { seen.insert($0.key).inserted }
        self.openPrefixes = openPrefixes
        self.alsoKnown = alsoKnown
        self.variables = variables
    }

    /// Both schemas, `other` last. A key of both is taken from `other`; the prefix of variables is this one's.
    public func adding(_ other: ConfigurationSchema) -> ConfigurationSchema {
        let keys = Set(other.settings.map(\.key))
        let prefixes = Set(other.openPrefixes.map(\.prefix))
        return ConfigurationSchema(
            descriptors: settings.filter { !keys.contains($0.key) } + other.settings,
            openPrefixes: openPrefixes.filter { !prefixes.contains($0.prefix) } + other.openPrefixes,
            alsoKnown: alsoKnown + other.alsoKnown, variables: variables)
    }

    /// The keys that a shared file or environment may hold, as other executables tolerate them: open prefixes end with a
    /// dot, settings for each name have their placeholder.
    public var sharedKeys: [String] {
        openPrefixes.map(\.prefix) + settings.filter { !$0.isCommandLineOnly }.map(\.key)
    }

    /// The same settings with further keys, also with a placeholder, and prefixes that end with a dot, tolerated beside
    /// them.
    public func tolerating(_ keys: [String]) -> ConfigurationSchema {
        ConfigurationSchema(
            descriptors: settings, openPrefixes: openPrefixes, alsoKnown: alsoKnown + keys,
            variables: variables)
    }

    /// What a key is to this schema.
    enum Meaning {
        case setting(SettingDescriptor)
        case template(SettingDescriptor, name: String)
        case open
        case elsewhere
        case unknown
    }

    func meaning(of key: String) -> Meaning {
        if let setting = settings.first(where: { $0.key == key && $0.template == nil }) { return .setting(setting) }
        for setting in settings {
            if let name = setting.template?.name(in: key) { return .template(setting, name: name) }
        }
        if openPrefixes.contains(where: { key.hasPrefix($0.prefix) && key != $0.prefix }) { return .open }
        if isUnderOwnTemplate(key), !isSettingElsewhere(key) { return .unknown }
        if isKnownElsewhere(key) { return .elsewhere }
        return .unknown
    }

    /// Whether the key is under the prefix of a setting that each name has for itself, such as `apps.`: what is there
    /// and is no such setting, here or elsewhere, is a typing error.
    private func isUnderOwnTemplate(_ key: String) -> Bool {
        settings.contains { setting in setting.template.map { key.hasPrefix($0.prefix) } ?? false }
    }

    private func isKnownElsewhere(_ key: String) -> Bool {
        isSettingElsewhere(key) || alsoKnown.contains { $0.hasSuffix(".") && key.hasPrefix($0) }
    }

    /// Whether another executable has a setting of this key, for whatever name.
    private func isSettingElsewhere(_ key: String) -> Bool {
        alsoKnown.contains { $0 == key || KeyTemplate($0)?.name(in: key) != nil }
    }

    /// Why a key of an open prefix may not be given; nil when it may.
    func refusal(of key: String) -> String? {
        openPrefixes.lazy.compactMap { $0.refused[key] }.first
    }

    /// The key that an environment variable gives.
    func key(ofVariable variable: String) -> String? {
        if let setting = settings.first(where: { variables.variable(of: $0) == variable }) { return setting.key }
        if let key = alsoKnown.first(where: { !$0.hasSuffix(".") && variables.variable(for: $0) == variable }) {
            return key
        }
        guard let key = variables.key(for: variable) else { return nil }
        let prefixes = openPrefixes.map(\.prefix) + alsoKnown.filter { $0.hasSuffix(".") }
        return prefixes.contains { key.hasPrefix($0) && key != $0 } ? key : nil
    }

    /// The valid key nearest to a wrong one. A template is offered with the name that the wrong key holds.
    func nearestKey(to wrong: String, commandLine: Bool) -> String? {
        var candidates: [String] = []
        for setting in settings where commandLine || !setting.isCommandLineOnly {
            guard let template = setting.template else {
                candidates.append(setting.key)
                continue
            }
            guard wrong.hasPrefix(template.prefix) else { continue }
            // Where the name ends is unknown: try every dot of the wrong key.
            let rest = wrong.dropFirst(template.prefix.count)
            for index in rest.indices where rest[index] == "." {
                candidates.append(template.key(for: String(rest[..<index])))
            }
        }
        return NearestName.of(wrong, in: candidates)
    }
}
