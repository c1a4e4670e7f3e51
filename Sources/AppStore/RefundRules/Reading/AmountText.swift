/// Amounts as people write them: digits, optionally followed by a decimal point and up to three more digits.
enum AmountText {
    /// Returns the amount in milliunits, or nil for any other text or for more than twelve digits before the point.
    static func milliunits(_ text: some StringProtocol) -> Int64? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count <= 2, let whole = parts.first.flatMap({ digits($0, 1...12) }) else { return nil }
        guard parts.count == 2 else { return whole * 1000 }
        guard let fraction = digits(parts[1], 1...3) else { return nil }
        let scale: Int64 = parts[1].utf8.count == 1 ? 100 : parts[1].utf8.count == 2 ? 10 : 1
        return whole * 1000 + fraction * scale
    }

    /// Parses a percentage with a percent sign, such as `50%`, from 0 to 100, and returns thousandths of a percent.
    static func percentMilliunits(_ text: String) -> Int64? {
        guard text.hasSuffix("%"), let value = milliunits(text.dropLast()), value <= 100_000 else { return nil }
        return value
    }

    private static func digits(_ text: some StringProtocol, _ count: ClosedRange<Int>) -> Int64? {
        guard count.contains(text.utf8.count),
            text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        return Int64(text)
    }
}
