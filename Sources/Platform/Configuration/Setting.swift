/// One configuration key: its type, its default, and its help text.
///
/// A key with a placeholder, such as `apps.<bundleId>.environments`, has one value per name. The list setting before
/// the placeholder (`apps`) declares the names: in each element, the name is the part before the first `:`. Set these
/// keys in the file or as flags, because an environment variable cannot represent the case and the dots of a name
/// unambiguously.
public struct Setting<Value: Sendable>: Sendable {
    /// The properties used in help texts, in error messages and by the loader, without the type of the value.
    public let descriptor: SettingDescriptor
    let kind: ValueKind<Value>
    let fallback: Value?

    /// Creates a setting of any kind.
    ///
    /// - Parameters:
    ///   - key: lower-case words separated by dots, as in `http.port`.
    ///   - kind: the conversion between text and value.
    ///   - fallback: the default; nil makes the key required.
    ///   - help: one or two sentences for `--help`.
    ///   - example: a valid value, shown if the key is missing or invalid.
    public init(
        _ key: String, _ kind: ValueKind<Value>, default fallback: Value? = nil, help: String, example: String? = nil
    ) {
        let defaultText = fallback.map(kind.text)
        self.init(
            descriptor: SettingDescriptor(
                key: key, help: help, valueName: kind.name, expected: kind.expected, defaultText: defaultText,
                isRequired: fallback == nil, example: example ?? defaultText ?? kind.example,
                isCommandLineOnly: false, isFlag: false, erasing: kind, fallback: fallback),
            kind: kind, fallback: fallback)
    }

    private init(descriptor: SettingDescriptor, kind: ValueKind<Value>, fallback: Value?) {
        self.descriptor = descriptor
        self.kind = kind
        self.fallback = fallback
    }

    /// The key as written in a properties file.
    public var key: String { descriptor.key }

    /// Returns this setting with an optional value, which is nil if the key is missing.
    public var optional: Setting<Value?> {
        let kind = ValueKind<Value?>(
            name: self.kind.name, expected: self.kind.expected, example: self.kind.example,
            text: { [text = self.kind.text] value in value.map(text) ?? "" },
            read: { [read = self.kind.read] text throws(SettingError) in try read(text) })
        return Setting<Value?>(
            descriptor: descriptor.replacing(isRequired: false, erasing: kind, fallback: .some(nil)),
            kind: kind, fallback: .some(nil))
    }

    /// Returns this setting with a second environment variable that other programs also read, such as
    /// `OTEL_SERVICE_NAME`. The variable with this program's prefix takes precedence, and an empty second variable is
    /// ignored.
    package func alsoRead(from variable: String) -> Setting<Value> {
        var descriptor = descriptor
        descriptor.standardVariable = variable
        return Setting(descriptor: descriptor, kind: kind, fallback: fallback)
    }

    /// Returns this setting with its value masked in output and rejected as a flag, because every local user can read
    /// the command line.
    package var secret: Setting<Value> {
        var descriptor = descriptor
        descriptor.isSecret = true
        return Setting(descriptor: descriptor, kind: kind, fallback: fallback)
    }

    /// Returns this setting restricted to the command line. Neither the file nor the environment may contain it.
    public var onCommandLineOnly: Setting<Value> {
        Setting(descriptor: descriptor.replacing(isCommandLineOnly: true), kind: kind, fallback: fallback)
    }

    func replacing(former: FormerFlag) -> Setting<Value> {
        var descriptor = descriptor
        descriptor.former.append(former)
        return Setting(descriptor: descriptor, kind: kind, fallback: fallback)
    }
}

extension Setting where Value == Bool {
    /// A command-line switch without a value; its presence means `true`.
    public static func flag(_ key: String, help: String) -> Setting<Bool> {
        let setting = Setting(key, .boolean, default: false, help: help)
        return Setting(
            descriptor: setting.descriptor.replacing(isCommandLineOnly: true, isFlag: true), kind: setting.kind,
            fallback: false)
    }
}

/// A setting with a value of any type, for use in lists of settings.
public protocol AnySetting: Sendable {
    /// The setting without the type of its value.
    var descriptor: SettingDescriptor { get }
}

extension Setting: AnySetting {}

/// A ``Setting`` without the type of its value.
public struct SettingDescriptor: Sendable {
    /// The key as written in a properties file.
    public let key: String
    /// One or two sentences for `--help`.
    public let help: String
    /// The placeholder for the value in a usage line, such as `INTEGER` or `strict|soft|off`.
    public let valueName: String
    /// The end of the sentence "must be …", such as `an integer from 0 to 65535`.
    public let expected: String
    /// The default as text, or nil if there is none.
    public let defaultText: String?
    /// Whether a missing key is an error.
    public let isRequired: Bool
    /// A valid value.
    public let example: String
    /// Whether the setting is allowed only on the command line.
    public let isCommandLineOnly: Bool
    /// Whether the setting is a switch without a value.
    public let isFlag: Bool
    /// An environment variable that also provides the value and is shared with other programs, or nil.
    package var standardVariable: String?
    /// Whether the value is masked in output and rejected as a flag.
    var isSecret = false
    let read: @Sendable (String) throws(SettingError) -> any Sendable
    let fallback: (any Sendable)?
    /// Deprecated forms of the flag, which are still accepted.
    var former: [FormerFlag] = []

    init<Value: Sendable>(
        key: String, help: String, valueName: String, expected: String, defaultText: String?, isRequired: Bool,
        example: String, isCommandLineOnly: Bool, isFlag: Bool, erasing kind: ValueKind<Value>, fallback: Value?
    ) {
        self.key = key
        self.help = help
        self.valueName = valueName
        self.expected = expected
        self.defaultText = defaultText
        self.isRequired = isRequired
        self.example = example
        self.isCommandLineOnly = isCommandLineOnly
        self.isFlag = isFlag
        self.read = { text throws(SettingError) in ParsedValue(value: try kind.read(text)) }
        self.fallback = fallback.map { ParsedValue(value: $0) }
    }

    private init(
        _ other: SettingDescriptor, key: String? = nil, isRequired: Bool, isCommandLineOnly: Bool, isFlag: Bool,
        read: @escaping @Sendable (String) throws(SettingError) -> any Sendable, fallback: (any Sendable)?
    ) {
        self.key = key ?? other.key
        self.help = key == nil ? other.help : "Replaces \(other.key)."
        self.valueName = other.valueName
        self.expected = other.expected
        self.defaultText = key == nil ? other.defaultText : nil
        self.isRequired = isRequired
        self.example = other.example
        self.isCommandLineOnly = isCommandLineOnly
        self.isFlag = isFlag
        standardVariable = other.standardVariable
        isSecret = other.isSecret
        self.read = read
        self.fallback = fallback
        self.former = other.former
    }

    func replacing<Value: Sendable>(
        isRequired: Bool, erasing kind: ValueKind<Value>, fallback: Value?
    ) -> SettingDescriptor {
        SettingDescriptor(
            self, isRequired: isRequired, isCommandLineOnly: isCommandLineOnly, isFlag: isFlag,
            read: { text throws(SettingError) in ParsedValue(value: try kind.read(text)) },
            fallback: fallback.map { ParsedValue(value: $0) })
    }

    func replacing(isCommandLineOnly: Bool, isFlag: Bool? = nil) -> SettingDescriptor {
        SettingDescriptor(
            self, isRequired: isRequired, isCommandLineOnly: isCommandLineOnly, isFlag: isFlag ?? self.isFlag,
            read: read, fallback: fallback)
    }

    /// Returns the per-name setting with this key. It is not required, because the general value is the default.
    func named(_ key: String) -> SettingDescriptor {
        SettingDescriptor(
            self, key: key, isRequired: false, isCommandLineOnly: false, isFlag: false, read: read, fallback: nil)
    }

    /// The parts before and after the placeholder in a key such as `apps.<bundleId>.environments`, or nil if the key
    /// has no placeholder.
    package var template: KeyTemplate? { KeyTemplate(key) }
}

/// A box around a parsed value, so that an optional value survives the conversion to `any Sendable`.
struct ParsedValue<Value: Sendable>: Sendable {
    let value: Value
}

/// A key with a placeholder: `apps.<bundleId>.environments` has the prefix `apps.` and the suffix `.environments`.
package struct KeyTemplate: Sendable {
    let prefix: String
    let suffix: String

    init?(_ key: String) {
        guard let open = key.firstIndex(of: "<"), let close = key.firstIndex(of: ">"), open < close else { return nil }
        prefix = String(key[..<open])
        suffix = String(key[key.index(after: close)...])
    }

    /// The setting that declares the names, such as `apps` for `apps.<bundleId>.environments`.
    var declaringKey: String { String(prefix.dropLast()) }

    func key(for name: String) -> String { prefix + name + suffix }

    func name(in key: String) -> String? {
        guard key.hasPrefix(prefix), key.hasSuffix(suffix), key.utf8.count > prefix.utf8.count + suffix.utf8.count
        else { return nil }
        return String(key.dropFirst(prefix.count).dropLast(suffix.count))
    }
}
