extension Duration {
    /// The duration in whole nanoseconds, rounded down; 0 if negative, at most `Int64.max` (292 years).
    package var clampedNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        if seconds < 0 || attoseconds < 0 { return 0 }
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        if overflow { return .max }
        let (sum, overflowed) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
        return overflowed ? .max : sum
    }

    /// The duration in whole milliseconds, rounded up so that a short wait does not become zero; 0 if negative.
    package var clampedMilliseconds: Int64 {
        let (quotient, remainder) = clampedNanoseconds.quotientAndRemainder(dividingBy: 1_000_000)
        return quotient + (remainder == 0 ? 0 : 1)
    }
}
