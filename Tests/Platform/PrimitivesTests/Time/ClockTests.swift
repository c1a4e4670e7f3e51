import Primitives
import Testing

@Suite("Clocks and durations") struct ClockTests {
    @Test func `the wall clock is later than this test, and the monotonic clock never goes backwards`() {
        #expect(SystemClock.wallMilliseconds() > SystemClock.earliestPlausibleMilliseconds)
        let first = SystemClock.monotonicNanoseconds()
        #expect(SystemClock.monotonicNanoseconds() >= first)
        #expect(RFC3339.text(milliseconds: SystemClock.earliestPlausibleMilliseconds) == "2026-11-01T00:00:00.000Z")
    }

    @Test func `clocks can be replaced`() {
        let clocks = Clocks(wallMilliseconds: { 5 }, monotonicNanoseconds: { 7_999_999 })
        #expect(clocks.wallMilliseconds() == 5)
        #expect(clocks.monotonicMilliseconds() == 7)
    }

    @Test(
        arguments: [
            (.zero, 0, 0), (.seconds(-1), 0, 0), (.nanoseconds(1), 1, 1), (.milliseconds(1500), 1_500_000_000, 1500),
            (.seconds(Int64.max), .max, 9_223_372_036_855), (.nanoseconds(1_000_001), 1_000_001, 2),
        ] as [(Duration, Int64, Int64)])
    func `a duration is bounded, and its milliseconds are rounded up`(
        duration: Duration, nanoseconds: Int64, milliseconds: Int64
    ) {
        #expect(duration.clampedNanoseconds == nanoseconds)
        #expect(duration.clampedMilliseconds == milliseconds)
    }
}
