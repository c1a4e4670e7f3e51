internal import AppStoreModel
internal import JSON

/// Formats dates for the formats before version 2: as UTC text, in milliseconds, and as text in Los Angeles time.
enum DateTexts {
    private static let day: Int64 = 86_400_000
    private static let hour: Int64 = 3_600_000

    /// Formats a date as `2019-11-22 19:29:45 Etc/GMT`.
    static func utc(_ milliseconds: Int64) -> String { text(milliseconds) + " Etc/GMT" }

    /// Formats a date as `2019-11-22 11:29:45 America/Los_Angeles`.
    static func losAngeles(_ milliseconds: Int64) -> String {
        let (time, overflow) = milliseconds.addingReportingOverflow((isSummer(milliseconds) ? -7 : -8) * hour)
        return text(overflow ? milliseconds : time) + " America/Los_Angeles"
    }

    private static func text(_ milliseconds: Int64) -> String {
        let text = AppStoreInstant(clampingMillisecondsSince1970: milliseconds).description
        return "\(text.prefix(10)) \(text.dropFirst(11).prefix(8))"
    }

    /// Returns whether daylight saving time is in effect, by the rules in effect since 2007: from 2:00 on the second
    /// Sunday of March to 2:00 on the first Sunday of November.
    private static func isSummer(_ milliseconds: Int64) -> Bool {
        let instant = AppStoreInstant(clampingMillisecondsSince1970: milliseconds)
        let year = instant.description.prefix(4)
        guard let march = sunday(from: "\(year)-03-08T10:00:00Z"),
            let november = sunday(from: "\(year)-11-01T09:00:00Z")
        else { return false }
        return (march..<november).contains(instant.millisecondsSince1970)
    }

    /// Returns the given time if it is on a Sunday, otherwise the same time on the next Sunday.
    private static func sunday(from text: String) -> Int64? {
        guard let start = AppStoreInstant(rfc3339: text)?.millisecondsSince1970 else { return nil }
        // 1970-01-01 was a Thursday.
        let weekday = ((start / day + 4) % 7 + 7) % 7
        return start + (7 - weekday) % 7 * day
    }
}

extension JSONObject {
    /// Adds `name`, `name_ms` and `name_pst`, or no members if the date is nil.
    mutating func putDate(_ name: String, _ milliseconds: Int64?) {
        guard let milliseconds else { return }
        put(name, DateTexts.utc(milliseconds))
        put(name + "_ms", String(milliseconds))
        put(name + "_pst", DateTexts.losAngeles(milliseconds))
    }
}
