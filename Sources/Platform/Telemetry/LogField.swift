/// A field key in a log line. Each service declares its keys in one file, as an extension.
///
/// `time`, `level`, `logger` and `message` are reserved. A field with a reserved key is written with a prefix, such as
/// `field.time`.
public struct LogKey: RawRepresentable, Sendable, Hashable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The error that occurred, as text.
    public static let error = LogKey(rawValue: "error")
    /// The reason code for a decision or rejection.
    public static let reason = LogKey(rawValue: "reason")
    /// The number of items that the message refers to.
    public static let count = LogKey(rawValue: "count")
    /// The number of similar lines suppressed by the rate limit since the last one that was logged.
    public static let suppressed = LogKey(rawValue: "suppressed")
    /// The service that the line describes.
    public static let service = LogKey(rawValue: "service")
    /// The process exit code.
    public static let exitCode = LogKey(rawValue: "exitCode")
    /// The program version.
    public static let version = LogKey(rawValue: "version")

    static let reserved: Set<String> = ["time", "level", "logger", "message"]
}

/// The value of a field.
public enum LogValue: Sendable, Equatable {
    /// Text. Text longer than ``maximumTextBytes`` is truncated and ends with `…`.
    case text(String)
    case integer(Int64)
    /// A floating-point number. Infinity and NaN are written as text.
    case real(Double)
    case boolean(Bool)
    case texts([String])

    /// The maximum length of text in UTF-8 bytes. Longer text is truncated.
    public static let maximumTextBytes = 4_096

    /// Creates a value from any integer. A value outside the range of `Int64` is written as text.
    public static func integer(_ value: some BinaryInteger & Sendable) -> LogValue {
        Int64(exactly: value).map { .integer($0) } ?? .text(String(value))
    }
}

extension LogValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByFloatLiteral
{
    public init(stringLiteral value: String) { self = .text(value) }
    public init(integerLiteral value: Int64) { self = .integer(value) }
    public init(booleanLiteral value: Bool) { self = .boolean(value) }
    public init(floatLiteral value: Double) { self = .real(value) }
}

/// One field in a log line.
public struct LogField: Sendable, Equatable {
    public let key: LogKey
    public let value: LogValue

    public init(_ key: LogKey, _ value: LogValue) {
        self.key = key
        self.value = value
    }

    /// Creates a text field.
    public init(_ key: LogKey, _ text: String) { self.init(key, .text(text)) }

    /// Creates an integer field.
    public init(_ key: LogKey, _ value: some BinaryInteger & Sendable) { self.init(key, .integer(value)) }
}
