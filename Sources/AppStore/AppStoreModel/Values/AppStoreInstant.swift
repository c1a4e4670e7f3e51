internal import Primitives

/// A point in time in Apple's format: whole milliseconds since 1970-01-01 UTC.
///
/// The range is limited to the years 0000 to 9999, as in RFC 3339, so arithmetic and formatting cannot trap.
public struct AppStoreInstant: Hashable, Comparable, Sendable {
    /// The instant 0000-01-01T00:00:00.000Z.
    public static let earliest = AppStoreInstant(unchecked: RFC3339.range.lowerBound)
    /// The instant 9999-12-31T23:59:59.999Z.
    public static let latest = AppStoreInstant(unchecked: RFC3339.range.upperBound)

    public let millisecondsSince1970: Int64

    private init(unchecked milliseconds: Int64) { self.millisecondsSince1970 = milliseconds }

    /// Creates an instant, or returns nil if it is outside ``earliest``…``latest``.
    public init?(millisecondsSince1970 milliseconds: Int64) {
        guard RFC3339.range.contains(milliseconds) else { return nil }
        self.init(unchecked: milliseconds)
    }

    /// Creates an instant, clamping the value to ``earliest``…``latest``.
    public init(clampingMillisecondsSince1970 milliseconds: Int64) {
        self.init(
            unchecked: min(
                max(milliseconds, Self.earliest.millisecondsSince1970), Self.latest.millisecondsSince1970))
    }

    public static func < (lhs: AppStoreInstant, rhs: AppStoreInstant) -> Bool {
        lhs.millisecondsSince1970 < rhs.millisecondsSince1970
    }

    /// Returns this instant moved by a number of milliseconds, clamped to ``earliest``…``latest``.
    public func advanced(byMilliseconds milliseconds: Int64) -> AppStoreInstant {
        let (sum, overflow) = millisecondsSince1970.addingReportingOverflow(milliseconds)
        if overflow { return milliseconds < 0 ? .earliest : .latest }
        return AppStoreInstant(clampingMillisecondsSince1970: sum)
    }

    /// Returns the number of milliseconds from this instant to `other`, a negative number if `other` is earlier.
    public func milliseconds(to other: AppStoreInstant) -> Int64 {
        other.millisecondsSince1970 - millisecondsSince1970  // both are bounded, so this cannot overflow
    }
}

// MARK: RFC 3339

extension AppStoreInstant: CustomStringConvertible {
    /// RFC 3339 text, such as `2026-11-21T17:15:16.042Z`.
    public var description: String { RFC3339.text(milliseconds: millisecondsSince1970) }

    /// RFC 3339 text in UTC with three fractional digits: always 24 ASCII bytes.
    public var rfc3339: [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(24)
        RFC3339.append(milliseconds: millisecondsSince1970, to: &text)
        return text
    }

    /// Parses RFC 3339 text with any number of fractional digits (rounded down to milliseconds) and any offset. Leap
    /// seconds are rejected.
    public init?(rfc3339 text: some StringProtocol) { self.init(rfc3339: Array(text.utf8)) }

    public init?(rfc3339 text: [UInt8]) {
        guard let milliseconds = RFC3339.milliseconds(text) else { return nil }
        self.init(millisecondsSince1970: milliseconds)
    }
}
