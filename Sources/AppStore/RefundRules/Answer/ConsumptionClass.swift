/// The classes used in the version 1 body. Apple does not document to which class a boundary belongs. Here, lower
/// bounds are inclusive and upper bounds exclusive. Unknown and negative values become 0, which means undeclared.
enum ConsumptionClass {
    /// Returns 1 to 6 for less than 3, 10, 30, 90, 180 and 365 days, respectively, and 7 for 365 days or more.
    static func accountTenure(days: Int64?) -> Int64 { number(days, [0, 3, 10, 30, 90, 180, 365]) }

    /// Returns 1 to 6 for less than 5 minutes, 60 minutes, 6 hours, 24 hours, 4 days and 16 days, respectively, and 7
    /// for 16 days or more.
    static func playTime(minutes: Int64?) -> Int64 { number(minutes, [0, 5, 60, 360, 1440, 5760, 23_040]) }

    /// Returns 1 for nothing, 2 to 6 for less than 50, 100, 500, 1000 and 2000 US dollars, respectively, and 7 for 2000
    /// US dollars or more.
    static func lifetimeDollars(cents: Int64?) -> Int64 {
        number(cents, [0, 1, 5000, 10_000, 50_000, 100_000, 200_000])
    }

    /// Returns the number of lower bounds that the value reaches.
    private static func number(_ value: Int64?, _ lowerBounds: [Int64]) -> Int64 {
        guard let value else { return 0 }
        return Int64(lowerBounds.count { $0 <= value })
    }
}
