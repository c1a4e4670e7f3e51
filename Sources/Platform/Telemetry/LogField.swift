/// The name of a piece of data in a log line. Each service extends it in one file with the names it uses.
///
/// `time`, `level`, `logger` and `message` belong to the line itself; a field of that name is written as `field.time`
/// and so on.
package struct LogKey: RawRepresentable, Sendable, Hashable {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    /// Why something failed, as text.
    package static let error = LogKey(rawValue: "error")
    /// The code of a decision or refusal.
    package static let reason = LogKey(rawValue: "reason")
    /// How many.
    package static let count = LogKey(rawValue: "count")
    /// How many lines of the same kind the rate limit held back since the last one.
    package static let suppressed = LogKey(rawValue: "suppressed")
    /// A service of the process.
    package static let service = LogKey(rawValue: "service")
    /// The process's exit code.
    package static let exitCode = LogKey(rawValue: "exitCode")
    /// The version of the program.
    package static let version = LogKey(rawValue: "version")

    static let reserved: Set<String> = ["time", "level", "logger", "message"]
}

/// The value of a field.
package enum LogValue: Sendable, Equatable {
    /// Text; longer than ``maximumTextBytes`` it is cut and ends with `…`.
    case text(String)
    case integer(Int64)
    /// A value that is not finite is written as text.
    case real(Double)
    case boolean(Bool)
    case texts([String])

    /// The longest text that is written in full, in bytes of UTF-8.
    package static let maximumTextBytes = 4_096

    /// Any integer; one beyond `Int64` is written as text.
    package static func integer(_ value: some BinaryInteger & Sendable) -> LogValue {
        Int64(exactly: value).map { .integer($0) } ?? .text(String(value))
    }
}

extension LogValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByFloatLiteral
{
    package init(stringLiteral value: String) { self = .text(value) }
    package init(integerLiteral value: Int64) { self = .integer(value) }
    package init(booleanLiteral value: Bool) { self = .boolean(value) }
    package init(floatLiteral value: Double) { self = .real(value) }
}

/// One piece of data of a log line.
package struct LogField: Sendable, Equatable {
    package let key: LogKey
    package let value: LogValue

    package init(_ key: LogKey, _ value: LogValue) {
        self.key = key
        self.value = value
    }

    /// A text field.
    package init(_ key: LogKey, _ text: String) { self.init(key, .text(text)) }

    /// An integer field.
    package init(_ key: LogKey, _ value: some BinaryInteger & Sendable) { self.init(key, .integer(value)) }
}
