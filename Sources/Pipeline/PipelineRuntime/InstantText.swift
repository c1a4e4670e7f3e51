/// RFC 3339 in UTC with milliseconds, without Foundation.
enum InstantText {
    /// The largest instant written: the last millisecond of the year 9999.
    private static let latest: Int64 = 253_402_300_799_999

    /// `2026-03-01T12:34:56.789Z`; instants before 1970 or after 9999 are written as the nearest of these.
    static func rfc3339(milliseconds: Int64) -> String {
        let clamped = min(max(0, milliseconds), latest)
        let (days, ofDay) = clamped.quotientAndRemainder(dividingBy: 86_400_000)
        // Days to civil date, Howard Hinnant's algorithm: years begin in March, so the leap day is the last one.
        let shifted = days + 719_468
        let (era, dayOfEra) = shifted.quotientAndRemainder(dividingBy: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        let (seconds, millisecond) = ofDay.quotientAndRemainder(dividingBy: 1000)
        let date = "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
        let time = "\(padded(seconds / 3600, 2)):\(padded(seconds / 60 % 60, 2)):\(padded(seconds % 60, 2))"
        return "\(date)T\(time).\(padded(millisecond, 3))Z"
    }

    private static func padded(_ number: Int64, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
