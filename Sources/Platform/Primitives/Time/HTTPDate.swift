/// Converts dates in HTTP header fields, such as `Sun, 06 Nov 1994 08:49:37 GMT` (IMF-fixdate, RFC 9110 section 5.6.7).
package enum HTTPDate {
    private static let dayNames = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let monthNames = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Formats a date as exactly 29 bytes. A date outside the years 0 to 9999 is clamped.
    ///
    /// - Parameter seconds: seconds since 1970.
    package static func bytes(seconds: Int64) -> [UInt8] {
        let earliest = RFC3339.range.lowerBound / 1000
        let latest = RFC3339.range.upperBound / 1000
        let (days, ofDay) = min(max(seconds, earliest), latest).floorDivided(by: 86_400)
        let date = CivilDate(daysSince1970: Int(days))
        // 1970-01-01 was a Thursday.
        let weekday = Int((days + 4).floorDivided(by: 7).remainder)
        var text: [UInt8] = []
        text.reserveCapacity(29)
        text.append(contentsOf: dayNames[weekday].utf8)
        text.append(contentsOf: ", ".utf8)
        appendDecimal(date.day, digits: 2, to: &text)
        text.append(contentsOf: " \(monthNames[date.month - 1]) ".utf8)
        appendDecimal(date.year, digits: 4, to: &text)
        text.append(UInt8(ascii: " "))
        appendDecimal(Int(ofDay) / 3600, digits: 2, to: &text)
        text.append(UInt8(ascii: ":"))
        appendDecimal(Int(ofDay) / 60 % 60, digits: 2, to: &text)
        text.append(UInt8(ascii: ":"))
        appendDecimal(Int(ofDay) % 60, digits: 2, to: &text)
        text.append(contentsOf: " GMT".utf8)
        return text
    }

    /// Parses a date and returns the seconds since 1970, or nil if the text has any other format. Does not check the
    /// weekday against the date.
    package static func seconds(_ text: String) -> Int64? {
        var reader = DateTextReader(Array(text.utf8))
        guard reader.name(of: dayNames) != nil, reader.skip(","), reader.skip(" "),
            let day = reader.number(digits: 2), reader.skip(" "), let month = reader.name(of: monthNames),
            reader.skip(" "), let year = reader.number(digits: 4), reader.skip(" "),
            let date = CivilDate(year: year, month: month + 1, day: day), let second = reader.secondOfDay(),
            reader.name(of: [" GMT"]) != nil, reader.isAtEnd
        else { return nil }
        return Int64(date.daysSince1970 * 86_400 + second)
    }
}
