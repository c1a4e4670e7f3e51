import Foundation
import Testing

@testable import Ingress

@Suite struct ClockSanityTests {
    /// A plausible wall time, in milliseconds.
    private static let start = ClockSanity.earliest + 86_400_000
    private static let hour: Int64 = 3_600_000

    @Test func `the earliest plausible time is this version's release day`() {
        let day = Date(timeIntervalSince1970: Double(ClockSanity.earliest / 1000))
        #expect(day.ISO8601Format() == "2026-11-01T00:00:00Z")
    }

    @Test(arguments: [
        (ClockSanity.earliest - 1, false), (ClockSanity.earliest, true), (ClockSanity.latest, true),
        (ClockSanity.latest + 1, false), (0, false), (Int64.max, false), (Int64.min, false),
    ])
    func `a time within ten years after this version's release is plausible`(wall: Int64, isSane: Bool) {
        #expect(ClockSanity().observe(wall: wall, monotonic: 5) == isSane)
    }

    @Test func `a clock that advances with the monotonic clock stays trusted`() {
        let sanity = ClockSanity()
        for minute in 0..<(60 * 24) {
            let monotonic = Int64(minute) * 60_000
            #expect(sanity.observe(wall: Self.start + monotonic, monotonic: monotonic))
        }
    }

    @Test(arguments: [59_000, 60_000, -59_000, -60_000] as [Int64])
    func `a correction of a minute is tolerated`(correction: Int64) {
        let sanity = ClockSanity()
        #expect(sanity.observe(wall: Self.start, monotonic: 0))
        #expect(sanity.observe(wall: Self.start + correction + 1_000, monotonic: 1_000))
    }

    @Test(arguments: [60_001, -60_001, 25 * 3_600_000, -25 * 3_600_000] as [Int64])
    func `a clock that jumps is not trusted until it has been steady for a minute`(jump: Int64) {
        let sanity = ClockSanity()
        let start = Self.start + 30 * 86_400_000
        #expect(sanity.observe(wall: start, monotonic: 0))
        for second in [1, 2, 30, 60] as [Int64] {
            #expect(!sanity.observe(wall: start + jump + second * 1_000, monotonic: second * 1_000))
        }
        #expect(sanity.observe(wall: start + jump + 61_000, monotonic: 61_000))
        #expect(sanity.observe(wall: start + jump + 62_000, monotonic: 62_000))
    }

    @Test func `a slow drift is not a jump`() {
        let sanity = ClockSanity()
        var wall = Self.start
        for step in 0..<600 {
            // Half a second each minute amounts to five minutes in ten hours.
            wall += 60_500
            #expect(sanity.observe(wall: wall, monotonic: Int64(step) * 60_000))
        }
    }

    @Test func `a second jump within the minute restarts the minute`() {
        let sanity = ClockSanity()
        #expect(sanity.observe(wall: Self.start, monotonic: 0))
        #expect(!sanity.observe(wall: Self.start + Self.hour, monotonic: 1_000))
        #expect(!sanity.observe(wall: Self.start, monotonic: 50_000))
        #expect(!sanity.observe(wall: Self.start + 60_000, monotonic: 100_000))
        #expect(sanity.observe(wall: Self.start + 70_000, monotonic: 110_000))
    }

    @Test func `readings of two threads in the wrong order are not a jump`() {
        let sanity = ClockSanity()
        #expect(sanity.observe(wall: Self.start + 10, monotonic: 10))
        #expect(sanity.observe(wall: Self.start, monotonic: 0))
    }
}
