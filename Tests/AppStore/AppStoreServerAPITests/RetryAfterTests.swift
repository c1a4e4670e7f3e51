import AppStoreServerAPI
import Testing

/// The time to retry after a 429. Apple sends milliseconds since 1970; proxies use the formats of RFC 9110.
@Suite struct RetryAfterTests {
    private static let now = VirtualTime.start

    @Test(
        arguments: [
            ("milliseconds since 1970", "1800000060000", 60_000),
            ("seconds since 1970", "1800000060", 60_000),
            ("a delay in seconds", "60", 60_000),
            ("a date", "Fri, 15 Jan 2027 08:01:00 GMT", 60_000),
            ("now", "0", 0),
            ("milliseconds in the past", "1700000000000", 0),
            ("seconds in the past", "1700000000", 0),
            ("a date in the past", "Sun, 06 Nov 1994 08:49:37 GMT", 0),
            ("the year 3000 in milliseconds", "32503680000000", 3_600_000),
            ("the year 3000 in seconds", "32503680000", 3_600_000),
            ("a date in the year 3000", "Wed, 01 Jan 3000 00:00:00 GMT", 3_600_000),
            ("a delay of a day", "86400", 3_600_000),
            ("more digits than any time has", "99999999999999999999999999", 3_600_000),
        ] as [(String, String, Int64)])
    func `the wait is parsed from either form and limited to an hour`(form: String, text: String, wait: Int64) {
        #expect(RetryAfter.moment(text, now: Self.now) == Self.now + wait, "\(form)")
    }

    @Test(arguments: [nil, "", "soon", "-5", "1.5", "1e3", " ", "٣", String(repeating: "1", count: 65)] as [String?])
    func `an absent or invalid field yields no time`(text: String?) {
        #expect(RetryAfter.moment(text, now: Self.now) == nil)
    }
}
