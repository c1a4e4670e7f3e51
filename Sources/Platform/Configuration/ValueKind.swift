/// The reason a string is not a valid value, without the string itself.
public struct SettingError: Error, Equatable {
    /// The end of a sentence that begins with the value, such as `must be an integer from 0 to 65535`.
    public let message: String
    /// Whether the message states the problem. If not, error messages describe the expected value instead.
    let isComplete: Bool
    /// Whether the value may contain a secret. Error messages then say "the value" instead of quoting it.
    let hidesValue: Bool

    /// - Parameters:
    ///   - message: the end of a sentence that begins with the value.
    ///   - hidesValue: whether the value may contain a secret and must not be quoted.
    public init(_ message: String, hidesValue: Bool = false) {
        self.init(message: message, isComplete: true, hidesValue: hidesValue)
    }

    private init(message: String, isComplete: Bool, hidesValue: Bool) {
        self.message = message
        self.isComplete = isComplete
        self.hidesValue = hidesValue
    }

    /// The text is not a value of this kind. The kind's own description gives the expected format.
    static var notOfThisKind: SettingError {
        SettingError(message: "", isComplete: false, hidesValue: false)
    }
}

/// Converts a setting's text to a value, and a value to text for `--help`.
public struct ValueKind<Value: Sendable>: Sendable {
    let name: String
    let expected: String
    let example: String
    let text: @Sendable (Value) -> String
    let read: @Sendable (String) throws(SettingError) -> Value

    /// Creates a custom kind for a service, such as a list of apps.
    ///
    /// - Parameters:
    ///   - name: the placeholder for the value in a usage line, in upper case, such as `APPS`.
    ///   - expected: the end of the sentence "must be …", such as `bundle ids with their app ids`.
    ///   - example: a valid value.
    ///   - text: converts a value to text, for `--help`.
    ///   - read: parses the text of a value.
    public init(
        name: String, expected: String, example: String, text: @escaping @Sendable (Value) -> String,
        read: @escaping @Sendable (String) throws(SettingError) -> Value
    ) {
        self.name = name
        self.expected = expected
        self.example = example
        self.text = text
        self.read = read
    }
}

extension ValueKind where Value == String {
    /// Any non-empty text.
    public static var text: ValueKind<String> {
        ValueKind(name: "TEXT", expected: "a non-empty string", example: "text", text: { $0 }) {
            text throws(SettingError) in
            guard !text.isEmpty else { throw SettingError("is empty") }
            return text
        }
    }

    /// The path of a file that exists and is readable.
    public static var readableFile: ValueKind<String> {
        ValueKind(name: "FILE", expected: "the path of a readable file", example: "/etc/sluice/file", text: { $0 }) {
            path throws(SettingError) in
            do throws(FileError) {
                try BoundedFile.checkReadable(path)
            } catch {
                throw SettingError("cannot be read: \(error.message)")
            }
            return path
        }
    }
}

extension ValueKind where Value == Int {
    /// A decimal integer within a range.
    public static func integer(in range: ClosedRange<Int>) -> ValueKind<Int> {
        ValueKind(
            name: "INTEGER", expected: integerExpectation(range), example: String(range.lowerBound),
            text: { String($0) }
        ) { text throws(SettingError) in
            guard let value = Int(text), range.contains(value), !text.hasPrefix("+") else {
                throw SettingError.notOfThisKind
            }
            return value
        }
    }

    private static func integerExpectation(_ range: ClosedRange<Int>) -> String {
        range.upperBound == Int.max
            ? "an integer, \(range.lowerBound) or greater"
            : "an integer from \(range.lowerBound) to \(range.upperBound)"
    }

    /// A size in bytes: `1024`, `64KiB`, `5MiB`, `2GiB`.
    public static func byteSize(in range: ClosedRange<Int>) -> ValueKind<Int> {
        ValueKind(
            name: "SIZE",
            expected: "a size such as 512KiB or 64MiB, from \(ByteSizeText.text(range.lowerBound)) to "
                + ByteSizeText.text(range.upperBound),
            example: ByteSizeText.text(range.lowerBound), text: { ByteSizeText.text($0) }
        ) { text throws(SettingError) in
            guard let value = ByteSizeText.parse(text), range.contains(value) else {
                throw SettingError.notOfThisKind
            }
            return value
        }
    }
}

extension ValueKind where Value == Bool {
    /// `true` or `false`.
    public static var boolean: ValueKind<Bool> {
        ValueKind(name: "true|false", expected: "true or false", example: "true", text: { $0 ? "true" : "false" }) {
            text throws(SettingError) in
            switch text {
            case "true": return true
            case "false": return false
            default: throw SettingError.notOfThisKind
            }
        }
    }
}

extension ValueKind where Value == Duration {
    /// A duration with a unit: `500ms`, `5s`, `2m`, `12h`, `30d`.
    public static func duration(in range: ClosedRange<Duration>) -> ValueKind<Duration> {
        ValueKind(
            name: "DURATION",
            expected: "a duration such as 500ms, 5s, 2m, 12h or 30d, from \(DurationText.text(range.lowerBound)) to "
                + DurationText.text(range.upperBound),
            example: DurationText.text(range.lowerBound), text: { DurationText.text($0) }
        ) { text throws(SettingError) in
            guard let value = DurationText.parse(text), range.contains(value) else {
                throw SettingError.notOfThisKind
            }
            return value
        }
    }
}

extension ValueKind where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
    /// One of an enum's raw values.
    public static var oneOf: ValueKind<Value> { oneOf(Array(Value.allCases), text: \.rawValue) }
}

extension ValueKind {
    /// One of these values.
    ///
    /// - Parameter spelling: returns the text of a value.
    public static func oneOf(
        _ values: [Value], text spelling: @escaping @Sendable (Value) -> String
    ) -> ValueKind<Value> {
        let names = values.map(spelling)
        return ValueKind(
            name: names.joined(separator: "|"), expected: "one of \(names.joined(separator: ", "))",
            example: names.first ?? "", text: spelling
        ) { text throws(SettingError) in
            if let index = names.firstIndex(of: text) { return values[index] }
            var message = "must be one of \(names.joined(separator: ", "))"
            if let nearest = NearestName.of(text, in: names) { message += "; did you mean \(nearest)?" }
            throw SettingError(message)
        }
    }
}

extension ValueKind where Value == SecretFile {
    /// A file that contains a secret. It must be readable, not empty, and at most 64 KiB long.
    public static var secretFile: ValueKind<SecretFile> {
        ValueKind(
            name: "FILE", expected: "the path of a readable file that contains the secret",
            example: "/run/secrets/name",
            text: { $0.path }
        ) { path throws(SettingError) in
            do throws(FileError) {
                return try SecretFile(path: path)
            } catch {
                throw SettingError("cannot be used as a secret: \(error.message)")
            }
        }
    }
}

extension ValueKind {
    /// A comma-separated list with at least one element. Whitespace around elements is ignored.
    public static func list<Element: Sendable>(of element: ValueKind<Element>) -> ValueKind<[Element]>
    where Value == [Element] {
        ValueKind<[Element]>(
            name: "\(element.name),…", expected: "a comma-separated list in which each element is \(element.expected)",
            example: element.example, text: { $0.map(element.text).joined(separator: ",") }
        ) { text throws(SettingError) in
            var values: [Element] = []
            for part in text.split(separator: ",", omittingEmptySubsequences: false) {
                let item = part.trimmed
                guard !item.isEmpty else { throw SettingError("has an empty element") }
                do throws(SettingError) {
                    values.append(try element.read(item))
                } catch {
                    let problem = error.isComplete ? error.message : "must be \(element.expected)"
                    if error.hidesValue { throw SettingError("has an element that \(problem)", hidesValue: true) }
                    throw SettingError("has the element \(quoted(item)), which \(problem)")
                }
            }
            return values
        }
    }
}
