internal import Primitives

/// Parses the `Retry-After` header field, which contains seconds or a date. Source: RFC 9110 section 10.2.3.
enum RetryAfter {
    /// The maximum delay that a receiver can request.
    static let longest: Duration = .seconds(300)
    private static let shortest: Duration = .seconds(1)

    /// Returns the delay, or nil if the text is malformed.
    ///
    /// - Parameter now: seconds since 1970.
    static func wait(_ text: String, now: Int64) -> Duration? {
        guard let seconds = seconds(text, now: now) else { return nil }
        return max(shortest, min(longest, .seconds(seconds)))
    }

    private static func seconds(_ text: String, now: Int64) -> Int64? {
        guard !text.isEmpty, text.utf8.count <= 64 else { return nil }
        if text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) {
            return Int64(text).map { min($0, longest.components.seconds) } ?? longest.components.seconds
        }
        guard let moment = HTTPDate.seconds(text) else { return nil }
        let (wait, overflow) = moment.subtractingReportingOverflow(now)
        return overflow ? nil : wait
    }
}
