/// The settings that each name of a list may have for itself, beside the general ones:
/// `webhooks.receivers.<receiver>.timeout` beside `webhooks.timeout`.
public struct NamedSettings: Sendable {
    private let general: [SettingDescriptor]
    private let prefix: String
    private let template: String

    /// - Parameters:
    ///   - settings: the general ones, whose keys begin with `prefix`.
    ///   - prefix: with its dot, such as `webhooks.`.
    ///   - template: in the place of `prefix`, with a placeholder after the key that lists the names:
    ///     `webhooks.receivers.<receiver>.`.
    public init(_ settings: [any AnySetting], prefix: String, template: String) {
        general = settings.map(\.descriptor)
        self.prefix = prefix
        self.template = template
    }

    /// For the schema: the settings of a name. None is required, for the general value holds where it is absent.
    public var settings: [any AnySetting] {
        general.map { NamedSetting(descriptor: $0.named(key(of: $0, template))) }
    }

    /// The general key, and that of a name.
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
    /// The configuration of one name: its own values stand in the place of the general ones, and errors name them.
    ///
    /// - Parameter defaults: values of general settings in place of those that are not given for the name.
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

/// A value for a setting that was not given.
public struct ConfigurationDefault: Sendable {
    let key: String
    let box: any Sendable

    public init<Value>(_ setting: Setting<Value>, _ value: Value) {
        key = setting.key
        box = ParsedValue(value: value)
    }
}
