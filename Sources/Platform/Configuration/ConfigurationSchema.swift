/// A prefix under which any key is allowed and passed on, such as `kafka.` for librdkafka's properties.
///
/// The value of a secret key (see ``isSecret(_:)``) is masked in output and rejected as a flag. It can be given as a
/// file: `kafka.sasl.password.file=/run/secrets/kafka` sets `kafka.sasl.password`.
public struct OpenPrefix: Sendable {
    /// The prefix with its dot, such as `kafka.`.
    public let prefix: String
    /// One or two sentences for `--help`.
    public let help: String
    /// A valid example line, such as `kafka.security.protocol=SASL_SSL`.
    public let example: String
    /// Keys under the prefix that are not allowed, each with the reason and the fix.
    public let refused: [String: String]
    /// Settings under the prefix, included in every schema with the prefix.
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

    /// Whether a key's name suggests a secret value.
    public static func isSecret(_ key: String) -> Bool {
        let name = key.lowercased()
        return ["password", "passphrase", "secret", "key.pem", "jaas", "oauthbearer.config", "credential"].contains(
            where: name.contains)
            && !name.hasSuffix(".location")
    }
}

/// All settings of a command.
public struct ConfigurationSchema: Sendable {
    /// The settings in help order.
    public let settings: [SettingDescriptor]
    /// The open prefixes in help order.
    public let openPrefixes: [OpenPrefix]
    /// Keys of other executables that a shared file or environment may contain. A key may have a placeholder; an entry
    /// that ends with a dot is a prefix and covers all keys under it.
    public let alsoKnown: [String]
    /// The mapping between settings and environment variables.
    public let variables: EnvironmentVariables

    /// - Parameters:
    ///   - settings: the settings in help order.
    ///   - openPrefixes: the prefixes of keys that are passed on without being interpreted.
    ///   - alsoKnown: keys of other executables, possibly with a placeholder, and prefixes that end with a dot. They
    ///     are ignored if the shared file or environment contains them.
    ///   - variables: the mapping between settings and environment variables.
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
        // Several modules may list the same setting.
        self.settings = (descriptors + openPrefixes.flatMap(\.settings)).filter { seen.insert($0.key).inserted }
        self.openPrefixes = openPrefixes
        self.alsoKnown = alsoKnown
        self.variables = variables
    }

    /// Returns this schema with the settings from `other` appended. A setting from `other` replaces one with the same
    /// key; the prefix for environment variables does not change.
    public func adding(_ other: ConfigurationSchema) -> ConfigurationSchema {
        let keys = Set(other.settings.map(\.key))
        let prefixes = Set(other.openPrefixes.map(\.prefix))
        return ConfigurationSchema(
            descriptors: settings.filter { !keys.contains($0.key) } + other.settings,
            openPrefixes: openPrefixes.filter { !prefixes.contains($0.prefix) } + other.openPrefixes,
            alsoKnown: alsoKnown + other.alsoKnown, variables: variables)
    }

    /// The keys in this schema that other executables must tolerate in a shared file or environment. Open prefixes end
    /// with a dot; the keys of per-name settings keep their placeholders.
    public var sharedKeys: [String] {
        openPrefixes.map(\.prefix) + settings.filter { !$0.isCommandLineOnly }.map(\.key)
    }

    /// Returns a copy of the schema that also ignores these keys of other executables; see ``alsoKnown``.
    public func tolerating(_ keys: [String]) -> ConfigurationSchema {
        ConfigurationSchema(
            descriptors: settings, openPrefixes: openPrefixes, alsoKnown: alsoKnown + keys,
            variables: variables)
    }

    /// The meaning of a key in this schema.
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

    /// Whether the key is under a per-name setting's prefix, such as `apps.`. If so, and if no other executable has a
    /// setting with this key, the key is a typo.
    private func isUnderOwnTemplate(_ key: String) -> Bool {
        settings.contains { setting in setting.template.map { key.hasPrefix($0.prefix) } ?? false }
    }

    private func isKnownElsewhere(_ key: String) -> Bool {
        isSettingElsewhere(key) || alsoKnown.contains { $0.hasSuffix(".") && key.hasPrefix($0) }
    }

    /// Whether another executable has a setting with this key, for any name.
    private func isSettingElsewhere(_ key: String) -> Bool {
        alsoKnown.contains { $0 == key || KeyTemplate($0)?.name(in: key) != nil }
    }

    /// Returns the reason a key under an open prefix is not allowed, or nil if it is allowed.
    func refusal(of key: String) -> String? {
        openPrefixes.lazy.compactMap { $0.refused[key] }.first
    }

    /// Returns the key that an environment variable sets, or nil if there is none.
    func key(ofVariable variable: String) -> String? {
        if let setting = settings.first(where: { variables.variable(of: $0) == variable }) { return setting.key }
        if let key = alsoKnown.first(where: { !$0.hasSuffix(".") && variables.variable(for: $0) == variable }) {
            return key
        }
        guard let key = variables.key(for: variable) else { return nil }
        let prefixes = openPrefixes.map(\.prefix) + alsoKnown.filter { $0.hasSuffix(".") }
        return prefixes.contains { key.hasPrefix($0) && key != $0 } ? key : nil
    }

    /// Returns the valid key nearest to an unknown key, or nil if none is near. If the valid key belongs to a per-name
    /// setting, the name in it is taken from the unknown key.
    func nearestKey(to wrong: String, commandLine: Bool) -> String? {
        var candidates: [String] = []
        for setting in settings where commandLine || !setting.isCommandLineOnly {
            guard let template = setting.template else {
                candidates.append(setting.key)
                continue
            }
            guard wrong.hasPrefix(template.prefix) else { continue }
            // The name may end at any dot, so add a candidate for each one.
            let rest = wrong.dropFirst(template.prefix.count)
            for index in rest.indices where rest[index] == "." {
                candidates.append(template.key(for: String(rest[..<index])))
            }
        }
        return NearestName.of(wrong, in: candidates)
    }
}
