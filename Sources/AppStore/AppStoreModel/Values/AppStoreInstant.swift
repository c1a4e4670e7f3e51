/// A moment as Apple writes it: whole milliseconds since 1970-01-01 UTC.
///
/// Bounded to the years 0000 to 9999, which RFC 3339 can write, so that no arithmetic or formatting on it can trap.
public struct AppStoreInstant: Hashable, Comparable, Sendable {
    /// 0000-01-01T00:00:00.000Z.
    public static let earliest = AppStoreInstant(unchecked: -62_167_219_200_000)
    /// 9999-12-31T23:59:59.999Z.
    public static let latest = AppStoreInstant(unchecked: 253_402_300_799_999)

    public let millisecondsSince1970: Int64

    private init(unchecked milliseconds: Int64) { self.millisecondsSince1970 = milliseconds }

    /// Nil outside ``earliest``…``latest``.
    public init?(millisecondsSince1970 milliseconds: Int64) {
        guard (-62_167_219_200_000...253_402_300_799_999).contains(milliseconds) else { return nil }
        self.init(unchecked: milliseconds)
    }

    /// The nearest moment that can be represented.
    public init(clampingMillisecondsSince1970 milliseconds: Int64) {
        self.init(
            unchecked: min(
                max(milliseconds, Self.earliest.millisecondsSince1970), Self.latest.millisecondsSince1970))
    }

    public static func < (lhs: AppStoreInstant, rhs: AppStoreInstant) -> Bool {
        lhs.millisecondsSince1970 < rhs.millisecondsSince1970
    }

    /// This moment moved by some milliseconds, held inside the range.
    public func advanced(byMilliseconds milliseconds: Int64) -> AppStoreInstant {
        let (sum, overflow) = millisecondsSince1970.addingReportingOverflow(milliseconds)
        if overflow { return milliseconds < 0 ? .earliest : .latest }
        return AppStoreInstant(clampingMillisecondsSince1970: sum)
    }

    /// Milliseconds from this moment to `other`; negative if `other` is earlier.
    public func milliseconds(to other: AppStoreInstant) -> Int64 {
        other.millisecondsSince1970 - millisecondsSince1970  // both bounded: no overflow
    }
}

// MARK: RFC 3339

extension AppStoreInstant: CustomStringConvertible {
    /// `2026-11-21T17:15:16.042Z`.
    public var description: String { String(decoding: rfc3339, as: UTF8.self) }

    /// RFC 3339 in UTC with three digits of fraction: always 24 bytes of ASCII.
    public var rfc3339: [UInt8] {
        let millisecondsOfDay = Int(Self.modulo(millisecondsSince1970, 86_400_000))
        let days = Int(Self.floorDivision(millisecondsSince1970, 86_400_000))
        let (year, month, day) = Self.civil(fromDays: days)
        var text: [UInt8] = []
        text.reserveCapacity(24)
        Self.append(year, digits: 4, to: &text)
        text.append(UInt8(ascii: "-"))
        Self.append(month, digits: 2, to: &text)
        text.append(UInt8(ascii: "-"))
        Self.append(day, digits: 2, to: &text)
        text.append(UInt8(ascii: "T"))
        Self.append(millisecondsOfDay / 3_600_000, digits: 2, to: &text)
        text.append(UInt8(ascii: ":"))
        Self.append(millisecondsOfDay / 60_000 % 60, digits: 2, to: &text)
        text.append(UInt8(ascii: ":"))
        Self.append(millisecondsOfDay / 1000 % 60, digits: 2, to: &text)
        text.append(UInt8(ascii: "."))
        Self.append(millisecondsOfDay % 1000, digits: 3, to: &text)
        text.append(UInt8(ascii: "Z"))
        return text
    }

    /// Reads RFC 3339 with any number of fraction digits (rounded down to milliseconds) and any offset.
    /// Leap seconds are refused.
    public init?(rfc3339 text: some StringProtocol) { self.init(rfc3339: Array(text.utf8)) }

    public init?(rfc3339 text: [UInt8]) {
        var reader = RFC3339Reader(text: text)
        guard let milliseconds = reader.milliseconds() else { return nil }
        self.init(millisecondsSince1970: milliseconds)
    }

    private static func append(_ number: Int, digits: Int, to text: inout [UInt8]) {
        var divisor = digits == 4 ? 1000 : digits == 3 ? 100 : 10
        while divisor > 0 {
            text.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number / divisor % 10))
            divisor /= 10
        }
    }

    private static func floorDivision(_ value: Int64, _ divisor: Int64) -> Int64 {
        (value - modulo(value, divisor)) / divisor
    }

    private static func modulo(_ value: Int64, _ divisor: Int64) -> Int64 {
        let remainder = value % divisor
        return remainder < 0 ? remainder + divisor : remainder
    }

    /// Proleptic Gregorian date of a day number since 1970-01-01. Counts years from 1 March, so that the leap day is
    /// the last of its year, in cycles of 400 years (146,097 days).
    private static func civil(fromDays days: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = days + 719_468  // days since 0000-03-01; negative only in January and February of year 0
        let cycle = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfCycle = shifted - cycle * 146_097
        let yearOfCycle = (dayOfCycle - dayOfCycle / 1460 + dayOfCycle / 36_524 - dayOfCycle / 146_096) / 365
        let dayOfYear = dayOfCycle - (365 * yearOfCycle + yearOfCycle / 4 - yearOfCycle / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        return (yearOfCycle + cycle * 400 + (month <= 2 ? 1 : 0), month, day)
    }

    /// Inverse of ``civil(fromDays:)``.
    fileprivate static func days(year: Int, month: Int, day: Int) -> Int {
        let shiftedYear = month <= 2 ? year - 1 : year
        let cycle = (shiftedYear >= 0 ? shiftedYear : shiftedYear - 399) / 400
        let yearOfCycle = shiftedYear - cycle * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return cycle * 146_097 + yearOfCycle * 365 + yearOfCycle / 4 - yearOfCycle / 100 + dayOfYear - 719_468
    }
}

private struct RFC3339Reader {
    let text: [UInt8]
    var position = 0

    init(text: [UInt8]) { self.text = text }

    mutating func milliseconds() -> Int64? {
        guard let year = number(digits: 4), skip("-"), let month = number(digits: 2), skip("-"),
            let day = number(digits: 2), skip("T") || skip("t"),
            let hour = number(digits: 2), skip(":"), let minute = number(digits: 2), skip(":"),
            let second = number(digits: 2), (1...12).contains(month), day >= 1,
            day <= daysInMonth(month, year: year), hour < 24, minute < 60, second < 60,
            let fraction = fraction(), let offset = offsetMinutes(), position == text.count
        else { return nil }
        let days = AppStoreInstant.days(year: year, month: month, day: day)
        let minutes = (days * 24 + hour) * 60 + minute - offset
        return Int64(minutes * 60_000 + second * 1000 + fraction)
    }

    private func daysInMonth(_ month: Int, year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    private mutating func fraction() -> Int? {
        guard skip(".") else { return 0 }
        var value = 0
        var count = 0
        while position < text.count, let digit = digit(text[position]) {
            if count < 3 { value = value * 10 + digit }
            count += 1
            position += 1
        }
        guard count > 0 else { return nil }
        for _ in count..<max(3, count) { value *= 10 }
        return value
    }

    private mutating func offsetMinutes() -> Int? {
        if skip("Z") || skip("z") { return 0 }
        let sign: Int
        if skip("+") { sign = 1 } else if skip("-") { sign = -1 } else { return nil }
        guard let hours = number(digits: 2), skip(":"), let minutes = number(digits: 2), hours < 24, minutes < 60
        else { return nil }
        return sign * (hours * 60 + minutes)
    }

    private mutating func number(digits: Int) -> Int? {
        var value = 0
        for _ in 0..<digits {
            guard position < text.count, let digit = digit(text[position]) else { return nil }
            value = value * 10 + digit
            position += 1
        }
        return value
    }

    private func digit(_ byte: UInt8) -> Int? {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) ? Int(byte - UInt8(ascii: "0")) : nil
    }

    private mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard position < text.count, text[position] == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }
}
