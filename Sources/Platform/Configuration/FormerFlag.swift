/// A flag's deprecated name or value notation, still accepted on the command line with a warning.
package struct FormerFlag: Sendable {
    /// The name after `--`.
    let name: String
    /// Whether a value is meant for the deprecated name, which may now have a different meaning.
    let applies: @Sendable (String) -> Bool
    /// Converts the value to the current notation.
    let value: @Sendable (String) -> String
}

extension Setting {
    /// Returns this setting, also accepted on the command line under a deprecated name.
    ///
    /// - Parameters:
    ///   - name: the deprecated name, or the current name if only the notation of the value has changed.
    ///   - applies: whether a value belongs to the deprecated name. By default, every value does.
    ///   - value: converts the value to the current notation.
    package func formerly(
        _ name: String, if applies: @escaping @Sendable (String) -> Bool = { _ in true },
        value: @escaping @Sendable (String) -> String = { $0 }
    ) -> Setting<Value> {
        replacing(former: FormerFlag(name: name, applies: applies, value: value))
    }
}

extension SettingDescriptor {
    /// Whether the setting is a valueless switch that has, or used to have, this name.
    package func isFlag(named name: String) -> Bool {
        isFlag && (key == name || former.contains { $0.name == name })
    }
}

extension ConfigurationSchema {
    /// Returns the current form of a flag: several flags if the deprecated value is now split among them, otherwise
    /// one.
    package func presentForm(_ key: String, _ text: String) -> [(key: String, text: String)] {
        let present = settings.flatMap { setting in
            setting.former.filter { $0.name == key && $0.applies(text) }.map { (setting.key, $0.value(text)) }
        }
        return present.isEmpty ? [(key, text)] : present
    }
}
