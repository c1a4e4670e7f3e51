/// Converts between instants and RFC 3339 text, such as `2026-11-21T17:15:16.042Z`. An instant is the number of
/// milliseconds since 1970-01-01 UTC.
package enum RFC3339 {
    /// The instants with a four-digit year: 0000-01-01T00:00:00.000Z to 9999-12-31T23:59:59.999Z.
    package static let range: ClosedRange<Int64> = -62_167_219_200_000...253_402_300_799_999

    /// Formats an instant in UTC with three fraction digits, always 24 bytes. An instant outside ``range`` is clamped.
    package static func text(milliseconds: Int64) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(24)
        append(milliseconds: milliseconds, to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    /// Appends the result of ``text(milliseconds:)``.
    package static func append(milliseconds: Int64, to text: inout [UInt8]) {
        let clamped = min(max(milliseconds, range.lowerBound), range.upperBound)
        let (days, rest) = clamped.floorDivided(by: 86_400_000)
        let date = CivilDate(daysSince1970: Int(days))
        let ofDay = Int(rest)
        appendDecimal(date.year, digits: 4, to: &text)
        text.append(UInt8(ascii: "-"))
        appendDecimal(date.month, digits: 2, to: &text)
        text.append(UInt8(ascii: "-"))
        appendDecimal(date.day, digits: 2, to: &text)
        text.append(UInt8(ascii: "T"))
        appendDecimal(ofDay / 3_600_000, digits: 2, to: &text)
        text.append(UInt8(ascii: ":"))
        appendDecimal(ofDay / 60_000 % 60, digits: 2, to: &text)
        text.append(UInt8(ascii: ":"))
        appendDecimal(ofDay / 1000 % 60, digits: 2, to: &text)
        text.append(UInt8(ascii: "."))
        appendDecimal(ofDay % 1000, digits: 3, to: &text)
        text.append(UInt8(ascii: "Z"))
    }

    /// Parses an instant with any number of fraction digits (rounded down to milliseconds) and any offset. Leap seconds
    /// are rejected.
    ///
    /// - Returns: milliseconds since 1970, or nil if the text is not RFC 3339 or the instant is outside ``range``.
    package static func milliseconds(_ text: [UInt8]) -> Int64? {
        var reader = DateTextReader(text)
        guard let year = reader.number(digits: 4), reader.skip("-"), let month = reader.number(digits: 2),
            reader.skip("-"), let day = reader.number(digits: 2),
            let date = CivilDate(year: year, month: month, day: day),
            reader.skip("T") || reader.skip("t"), let second = reader.secondOfDay(),
            let fraction = reader.milliseconds(), let offset = offsetMinutes(&reader), reader.isAtEnd
        else { return nil }
        let minutes = date.daysSince1970 * 1440 - offset
        let milliseconds = Int64(minutes * 60_000 + second * 1000 + fraction)
        return range.contains(milliseconds) ? milliseconds : nil
    }

    private static func offsetMinutes(_ reader: inout DateTextReader) -> Int? {
        if reader.skip("Z") || reader.skip("z") { return 0 }
        let sign: Int
        if reader.skip("+") { sign = 1 } else if reader.skip("-") { sign = -1 } else { return nil }
        guard let hours = reader.number(digits: 2), reader.skip(":"), let minutes = reader.number(digits: 2),
            hours < 24, minutes < 60
        else { return nil }
        return sign * (hours * 60 + minutes)
    }
}
