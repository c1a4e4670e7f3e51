/// A metric label. Its value must come from a closed set, because each value creates a time series.
public struct MetricLabel: Sendable, Hashable {
    public let name: String
    public let value: String

    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

/// Validates names according to Prometheus's rules.
enum MetricName {
    /// Whether a metric name matches `[a-zA-Z_:][a-zA-Z0-9_:]*`.
    static func isValid(_ name: String) -> Bool { isWord(name, allowsColon: true) }

    /// Whether a label name matches `[a-zA-Z_][a-zA-Z0-9_]*` and does not begin with two underscores, which are
    /// reserved.
    static func isValidLabel(_ name: String) -> Bool { isWord(name, allowsColon: false) && !name.hasPrefix("__") }

    private static func isWord(_ name: String, allowsColon: Bool) -> Bool {
        guard let first = name.utf8.first, !isDigit(first) else { return false }
        return name.utf8.allSatisfy { byte in
            isDigit(byte) || byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "z")
                || byte == UInt8(ascii: "_") || allowsColon && byte == UInt8(ascii: ":")
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }
}
