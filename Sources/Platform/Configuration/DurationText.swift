/// Durations as operators write them: a whole number with a unit.
package enum DurationText {
    private static let units: [(suffix: String, milliseconds: Int64)] = [
        ("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000),
    ]

    /// Parses a duration. Returns nil if the text is not a duration or the value overflows.
    package static func parse(_ text: String) -> Duration? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let suffix = text.dropFirst(digits.count)
        guard let count = Int64(digits), let unit = units.first(where: { $0.suffix == suffix }) else { return nil }
        let (milliseconds, overflow) = count.multipliedReportingOverflow(by: unit.milliseconds)
        return overflow ? nil : .milliseconds(milliseconds)
    }

    /// Returns the shortest exact text for a duration, which is first rounded down to milliseconds.
    static func text(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000)
        guard !overflow else { return "\(seconds)s" }
        let milliseconds = whole &+ attoseconds / 1_000_000_000_000_000
        guard milliseconds != 0 else { return "0s" }
        let unit = units.last { milliseconds % $0.milliseconds == 0 } ?? ("ms", 1)
        return "\(milliseconds / unit.milliseconds)\(unit.suffix)"
    }
}
