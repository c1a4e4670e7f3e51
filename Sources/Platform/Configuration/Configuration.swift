/// The effective configuration: all validated values with their origins.
public struct Configuration: Sendable {
    struct Entry: Sendable {
        let key: String
        /// The given text or the default, or nil if an optional setting is missing.
        let text: String?
        let origin: ConfigurationOrigin
        let isSecret: Bool
    }

    let values: [String: any Sendable]
    let open: [String: String]
    /// The entries in schema order, with the keys of a per-name setting sorted. The keys under open prefixes follow,
    /// also sorted.
    let entries: [Entry]
    private let origins: [String: ConfigurationOrigin]
    /// For each general key, the per-name key that may override it; see ``NamedSettings``.
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

    /// Returns the value of a setting, which must be in the schema that this configuration was read with.
    public func value<Value>(_ setting: Setting<Value>) -> Value {
        guard let parsed = values[setting.key] as? ParsedValue<Value> else {
            // Programming error: the setting is missing from the command's schema, or has a different type there.
            preconditionFailure("\(setting.key) is not in the schema")
        }
        return parsed.value
    }

    /// Returns the value of a setting in the schema.
    public subscript<Value>(_ setting: Setting<Value>) -> Value { value(setting) }

    /// Returns a per-name setting's value for a given name. The setting's key contains a placeholder, as in
    /// `apps.<bundleId>.environments`.
    ///
    /// The setting must be optional or have a default, which applies to every name without its own key.
    public func value<Value>(_ setting: Setting<Value>, for name: String) -> Value {
        if let template = setting.descriptor.template,
            let parsed = values[template.key(for: name)] as? ParsedValue<Value>
        {
            return parsed.value
        }
        guard let fallback = setting.fallback else {
            // Programming error: the setting has no default. A key with a placeholder cannot be required, because names
            // are known only at run time.
            preconditionFailure("\(setting.key) has no default")
        }
        return fallback
    }

    /// Returns the values of all keys under an open prefix, keyed by the rest of the key. For example:
    /// `prefixed("kafka.")["security.protocol"]`.
    ///
    /// Secrets are not masked, so do not print the values.
    public func prefixed(_ prefix: String) -> [String: String] {
        var result: [String: String] = [:]
        for (key, value) in open where key.hasPrefix(prefix) { result[String(key.dropFirst(prefix.count))] = value }
        return result
    }

    /// Returns the origin of a key's value, or `.default` if no source contains the key.
    public func origin(of key: String) -> ConfigurationOrigin { origins[givenKey(key)] ?? .default }

    /// Creates an error for a problem that only the service can detect, with the origin of the key's value.
    public func error(_ key: String, _ message: String) -> ConfigurationError {
        let key = givenKey(key)
        return ConfigurationError(code: .wrongValue, key: key, origin: origins[key], message: message)
    }

    /// Returns the per-name key that overrides a general key, or the general key itself if nothing overrides it.
    private func givenKey(_ key: String) -> String {
        guard let own = ownKeys[key], origins[own] != nil else { return key }
        return own
    }

    /// Creates an error for a setting that is required only together with other settings.
    public func missing<Value>(_ setting: Setting<Value>) -> ConfigurationError {
        let key = ownKeys[setting.key] ?? setting.key
        return ConfigurationError(
            code: .missing, key: key,
            message: "is required: \(setting.descriptor.help.trimmingFullStop). "
                + "Set \(key)=\(setting.descriptor.example).")
    }
}
