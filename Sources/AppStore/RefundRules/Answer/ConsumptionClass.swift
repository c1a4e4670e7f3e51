/// The classes of the version 1 body. Apple does not say to which of two a boundary belongs: the lower bound is
/// inclusive, the upper one exclusive. What is unknown, or negative, is 0, undeclared.
enum ConsumptionClass {
    /// From 1: less than 3 days, 10, 30, 90, 180, 365, and over.
    static func accountTenure(days: Int64?) -> Int64 { number(days, [0, 3, 10, 30, 90, 180, 365]) }

    /// From 1: less than 5 minutes, 60, 6 hours, 24, 4 days, 16, and over.
    static func playTime(minutes: Int64?) -> Int64 { number(minutes, [0, 5, 60, 360, 1440, 5760, 23_040]) }

    /// From 1: nothing, less than 50 US dollars, 100, 500, 1000, 2000, and over.
    static func lifetimeDollars(cents: Int64?) -> Int64 {
        number(cents, [0, 1, 5000, 10_000, 50_000, 100_000, 200_000])
    }

    /// How many of the lower bounds are reached.
    private static func number(_ value: Int64?, _ lowerBounds: [Int64]) -> Int64 {
        guard let value else { return 0 }
        return Int64(lowerBounds.count { $0 <= value })
    }
}
