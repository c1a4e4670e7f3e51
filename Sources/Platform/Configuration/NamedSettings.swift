/// Per-name settings that override general settings: `webhooks.receivers.<receiver>.timeout` overrides
/// `webhooks.timeout`.
public struct NamedSettings: Sendable {
    private let general: [SettingDescriptor]
    private let prefix: String
    private let template: String

    /// - Parameters:
    ///   - settings: the general settings, with keys that begin with `prefix`.
    ///   - prefix: the general prefix with its dot, such as `webhooks.`.
    ///   - template: the replacement for `prefix`, in which the placeholder follows the key that lists the names:
    ///     `webhooks.receivers.<receiver>.`.
    public init(_ settings: [any AnySetting], prefix: String, template: String) {
        general = settings.map(\.descriptor)
        self.prefix = prefix
        self.template = template
    }

    /// The per-name settings for the schema. None is required, because the general value is the default.
    public var settings: [any AnySetting] {
        general.map { NamedSetting(descriptor: $0.named(key(of: $0, template))) }
    }

    /// Returns each general key with the per-name key for one name.
    fileprivate func keys(for name: String) -> [(general: String, own: String)] {
        guard let template = KeyTemplate(template) else { return [] }
        return general.map { ($0.key, key(of: $0, template.key(for: name))) }
    }

    private func key(of setting: SettingDescriptor, _ prefix: String) -> String {
        prefix + setting.key.dropFirst(self.prefix.count)
    }
}

private struct NamedSetting: AnySetting {
    let descriptor: SettingDescriptor
}

extension Configuration {
    /// Returns the configuration for one name. Per-name values replace the general values, and errors refer to the
    /// per-name keys.
    ///
    /// - Parameter defaults: values that replace the general values of settings without a per-name value.
    public func narrowed(
        to name: String, _ named: NamedSettings, defaults: [ConfigurationDefault] = []
    ) -> Configuration {
        var values = values
        var ownKeys: [String: String] = [:]
        for value in defaults { values[value.key] = value.box }
        for (general, own) in named.keys(for: name) {
            ownKeys[general] = own
            if let value = self.values[own] { values[general] = value }
        }
        return Configuration(values: values, open: open, entries: entries, ownKeys: ownKeys)
    }
}

/// A value that replaces a setting's general value in ``Configuration/narrowed(to:_:defaults:)``.
public struct ConfigurationDefault: Sendable {
    let key: String
    let box: any Sendable

    public init<Value>(_ setting: Setting<Value>, _ value: Value) {
        key = setting.key
        box = ParsedValue(value: value)
    }
}
