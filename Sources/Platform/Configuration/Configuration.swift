/// The effective configuration: every value checked, with its source.
public struct Configuration: Sendable {
    struct Entry: Sendable {
        let key: String
        /// As given, or the default; `nil` for an absent optional setting.
        let text: String?
        let origin: ConfigurationOrigin
        let isSecret: Bool
    }

    let values: [String: any Sendable]
    let open: [String: String]
    /// In the order of the schema, open keys and per-name keys after their setting, sorted.
    let entries: [Entry]
    private let origins: [String: ConfigurationOrigin]
    /// The keys that may give the values of general ones, see ``NamedSettings``.
    private let ownKeys: [String: String]

    init(
        values: [String: any Sendable], open: [String: String], entries: [Entry], ownKeys: [String: String] = [:]
    ) {
        self.values = values
        self.open = open
        self.entries = entries
        self.ownKeys = ownKeys
        self.origins = Dictionary(entries.map { ($0.key, $0.origin) }) { first, _ in first }
    }

    /// The value of a setting of the schema that this configuration was read with.
    public func value<Value>(_ setting: Setting<Value>) -> Value {
        guard let parsed = values[setting.key] as? ParsedValue<Value> else {
            // Our bug: the setting is not in the schema of this command, or is there with another type.
            preconditionFailure("\(setting.key) is not in the schema")
        }
        return parsed.value
    }

    /// The value of a setting of the schema.
    public subscript<Value>(_ setting: Setting<Value>) -> Value { value(setting) }

    /// The value of a setting whose key has a placeholder, for one name: `apps.<bundleId>.environments`.
    ///
    /// Such a setting is optional or has a default, which holds for every name that the key was not given for.
    public func value<Value>(_ setting: Setting<Value>, for name: String) -> Value {
        if let template = setting.descriptor.template,
            let parsed = values[template.key(for: name)] as? ParsedValue<Value>
        {
            return parsed.value
        }
        guard let fallback = setting.fallback else {
            // Our bug: which names there are is known only when running, so such a key cannot be required.
            preconditionFailure("\(setting.key) has no default")
        }
        return fallback
    }

    /// All keys under an open prefix, without the prefix: `prefixed("kafka.")["security.protocol"]`.
    ///
    /// The values of secrets are the real ones: hand them on, do not print them.
    public func prefixed(_ prefix: String) -> [String: String] {
        var result: [String: String] = [:]
        for (key, value) in open where key.hasPrefix(prefix) { result[String(key.dropFirst(prefix.count))] = value }
        return result
    }

    /// Where the value of a key came from; `.default` when no source gave it.
    public func origin(of key: String) -> ConfigurationOrigin { origins[givenKey(key)] ?? .default }

    /// A mistake that only the service can find, reported with the source of the key's value.
    public func error(_ key: String, _ message: String) -> ConfigurationError {
        let key = givenKey(key)
        return ConfigurationError(code: .wrongValue, key: key, origin: origins[key], message: message)
    }

    /// The key whose value is that of a general one.
    private func givenKey(_ key: String) -> String {
        guard let own = ownKeys[key], origins[own] != nil else { return key }
        return own
    }

    /// A setting that is required only together with others, and absent.
    public func missing<Value>(_ setting: Setting<Value>) -> ConfigurationError {
        let key = ownKeys[setting.key] ?? setting.key
        return ConfigurationError(
            code: .missing, key: key,
            message: "is required: \(setting.descriptor.help.trimmingFullStop). "
                + "Set \(key)=\(setting.descriptor.example).")
    }
}
