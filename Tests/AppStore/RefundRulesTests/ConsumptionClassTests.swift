import Testing

@testable import RefundRules

/// The classes of the version 1 body at their bounds. Lower bounds are inclusive, upper bounds exclusive.
@Suite struct ConsumptionClassTests {
    @Test(
        arguments: [
            (nil, 0), (-1, 0), (0, 1), (2, 1), (3, 2), (9, 2), (10, 3), (29, 3), (30, 4), (89, 4), (90, 5), (179, 5),
            (180, 6), (364, 6), (365, 7), (.max, 7),
        ] as [(Int64?, Int64)])
    func `the account's age in days has a class`(days: Int64?, number: Int64) {
        #expect(ConsumptionClass.accountTenure(days: days) == number)
    }

    @Test(
        arguments: [
            (nil, 0), (-1, 0), (0, 1), (4, 1), (5, 2), (59, 2), (60, 3), (359, 3), (360, 4), (1439, 4), (1440, 5),
            (5759, 5), (5760, 6), (23_039, 6), (23_040, 7), (.max, 7),
        ] as [(Int64?, Int64)])
    func `the play time in minutes has a class`(minutes: Int64?, number: Int64) {
        #expect(ConsumptionClass.playTime(minutes: minutes) == number)
    }

    @Test(
        arguments: [
            (nil, 0), (-1, 0), (0, 1), (1, 2), (4999, 2), (5000, 3), (9999, 3), (10_000, 4), (49_999, 4), (50_000, 5),
            (99_999, 5), (100_000, 6), (199_999, 6), (200_000, 7), (.max, 7),
        ] as [(Int64?, Int64)])
    func `the amount paid in cents has a class`(cents: Int64?, number: Int64) {
        #expect(ConsumptionClass.lifetimeDollars(cents: cents) == number)
    }
}
