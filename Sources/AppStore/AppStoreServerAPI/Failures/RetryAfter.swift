internal import Primitives

/// The `Retry-After` header field in a 429 or 5xx response. Apple departs from RFC 9110 section 10.2.3 and sends a Unix
/// time in milliseconds, so the meaning of a number depends on its size. The standard forms are also accepted. Source:
/// Apple, "Identifying Rate Limits".
package enum RetryAfter {
    /// The longest time that a budget stays closed, in milliseconds.
    package static let longest: Int64 = 3_600_000

    /// Returns the time of the next attempt in milliseconds since 1970, between `now` and an hour later. Returns nil if
    /// the field is absent or malformed; in that case, the caller uses its own backoff.
    ///
    /// | text | meaning |
    /// | --- | --- |
    /// | a number, 10^11 or greater | milliseconds since 1970 |
    /// | from 10^8 to 10^11 | seconds since 1970 |
    /// | a smaller number | seconds from now |
    /// | an HTTP date | that time |
    ///
    /// - Parameter now: the current time, in milliseconds since 1970.
    package static func moment(_ text: String?, now: Int64) -> Int64? {
        guard let text, !text.isEmpty, text.utf8.count <= 64 else { return nil }
        let moment: Int64
        if isNumber(text) {
            // A number with too many digits for an `Int64` is a time beyond any limit.
            let number = Int64(text) ?? .max
            switch number {
            case 100_000_000_000...: moment = number
            case 100_000_000...: moment = number * 1000
            default: moment = now.saturatingAdd(number * 1000)
            }
        } else {
            guard let seconds = HTTPDate.seconds(text) else { return nil }
            moment = seconds * 1000
        }
        return min(max(moment, now), now.saturatingAdd(longest))
    }

    private static func isNumber(_ text: String) -> Bool {
        text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}

extension Int64 {
    func saturatingAdd(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }
}
