/// The classes of the version 1 body. Apple does not document to which class a boundary belongs: lower bounds are
/// inclusive here, upper ones exclusive. Unknown and negative values are 0, undeclared.
enum ConsumptionClass {
    /// Returns 1 to 7: less than 3 days, 10, 30, 90, 180, 365, and over.
    static func accountTenure(days: Int64?) -> Int64 { number(days, [0, 3, 10, 30, 90, 180, 365]) }

    /// Returns 1 to 7: less than 5 minutes, 60, 6 hours, 24, 4 days, 16, and over.
    static func playTime(minutes: Int64?) -> Int64 { number(minutes, [0, 5, 60, 360, 1440, 5760, 23_040]) }

    /// Returns 1 to 7: nothing, less than 50 US dollars, 100, 500, 1000, 2000, and over.
    static func lifetimeDollars(cents: Int64?) -> Int64 {
        number(cents, [0, 1, 5000, 10_000, 50_000, 100_000, 200_000])
    }

    /// Returns the number of lower bounds reached.
    private static func number(_ value: Int64?, _ lowerBounds: [Int64]) -> Int64 {
        guard let value else { return 0 }
        return Int64(lowerBounds.count { $0 <= value })
    }
}
