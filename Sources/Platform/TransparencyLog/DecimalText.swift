/// Decimal numbers in the C2SP formats: ASCII digits without leading zeros, except `0` itself.
enum DecimalText {
    /// Parses a number. Returns nil for any other text, or if the number does not fit in an `Int`.
    static func value(_ text: some Collection<UInt8>) -> Int? {
        guard let first = text.first, text.count == 1 || first != UInt8(ascii: "0") else { return nil }
        var value = 0
        for digit in text {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            let (scaled, tooLarge) = value.multipliedReportingOverflow(by: 10)
            let (sum, overflows) = scaled.addingReportingOverflow(Int(digit - UInt8(ascii: "0")))
            guard !tooLarge, !overflows else { return nil }
            value = sum
        }
        return value
    }
}
