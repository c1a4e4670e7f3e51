/// Byte sizes as operators write them: a whole number with an optional binary unit.
enum ByteSizeText {
    private static let units: [(suffix: String, bytes: Int)] = [
        ("", 1), ("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30),
    ]

    static func parse(_ text: String) -> Int? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let suffix = text.dropFirst(digits.count)
        guard let count = Int(digits), let unit = units.first(where: { $0.suffix == suffix }) else { return nil }
        let (bytes, overflow) = count.multipliedReportingOverflow(by: unit.bytes)
        return overflow ? nil : bytes
    }

    /// Returns the shortest exact text for a size.
    static func text(_ bytes: Int) -> String {
        guard bytes != 0 else { return "0" }
        let unit = units.last { bytes % $0.bytes == 0 } ?? ("", 1)
        return "\(bytes / unit.bytes)\(unit.suffix)"
    }
}
