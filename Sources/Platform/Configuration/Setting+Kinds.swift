// Factory methods for common kinds, so that a service's settings read like a table.

extension Setting where Value == String {
    /// Any non-empty text.
    public static func string(
        _ key: String, default fallback: String? = nil, help: String, example: String? = nil
    ) -> Setting { Setting(key, .text, default: fallback, help: help, example: example) }

    /// The path of a file that must be readable when the process starts.
    public static func readableFile(
        _ key: String, default fallback: String? = nil, help: String, example: String? = nil
    ) -> Setting { Setting(key, .readableFile, default: fallback, help: help, example: example) }
}

extension Setting where Value == Int {
    /// A decimal integer within a range.
    public static func integer(
        _ key: String, default fallback: Int? = nil, in range: ClosedRange<Int>, help: String, example: String? = nil
    ) -> Setting { Setting(key, .integer(in: range), default: fallback, help: help, example: example) }

    /// A size in bytes: `1024`, `64KiB`, `5MiB`, `2GiB`.
    public static func byteSize(
        _ key: String, default fallback: Int? = nil, in range: ClosedRange<Int>, help: String, example: String? = nil
    ) -> Setting { Setting(key, .byteSize(in: range), default: fallback, help: help, example: example) }
}

extension Setting where Value == Bool {
    /// `true` or `false`.
    public static func boolean(
        _ key: String, default fallback: Bool? = nil, help: String, example: String? = nil
    ) -> Setting { Setting(key, .boolean, default: fallback, help: help, example: example) }
}

extension Setting where Value == Duration {
    /// A duration with a unit: `500ms`, `5s`, `2m`, `12h`, `30d`.
    public static func duration(
        _ key: String, default fallback: Duration? = nil, in range: ClosedRange<Duration>, help: String,
        example: String? = nil
    ) -> Setting { Setting(key, .duration(in: range), default: fallback, help: help, example: example) }
}

extension Setting where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
    /// One of an enum's raw values.
    public static func oneOf(
        _ key: String, default fallback: Value? = nil, help: String, example: String? = nil
    ) -> Setting { Setting(key, .oneOf, default: fallback, help: help, example: example) }
}

extension Setting where Value == SecretFile {
    /// A file that contains a secret. Its content is never printed.
    public static func secretFile(_ key: String, help: String, example: String? = nil) -> Setting {
        Setting(key, .secretFile, help: help, example: example)
    }
}

extension Setting where Value == [String] {
    /// Comma-separated strings.
    public static func strings(
        _ key: String, default fallback: [String]? = nil, help: String, example: String? = nil
    ) -> Setting { Setting(key, .list(of: .text), default: fallback, help: help, example: example) }

    /// Comma-separated paths; each must be readable when the process starts.
    public static func readableFiles(
        _ key: String, default fallback: [String]? = nil, help: String, example: String? = nil
    ) -> Setting { Setting(key, .list(of: .readableFile), default: fallback, help: help, example: example) }
}
