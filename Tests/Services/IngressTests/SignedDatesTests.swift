import Testing

@testable import Ingress

/// Detection of a slow local clock from the dates that Apple signed. Times are in minutes.
@Suite struct SignedDatesTests {
    private let dates = SignedDates()

    private func contradict(_ number: UInt8, at minute: Int64 = 0) {
        dates.contradicted(by: [number], at: minute * 60_000)
    }

    private func contradicts(at minute: Int64 = 0) -> Bool { dates.contradictClock(at: minute * 60_000) }

    @Test func `the clock is contradicted by three different notifications`() {
        contradict(1)
        contradict(2)
        for _ in 0..<10 { contradict(2) }
        #expect(!contradicts())
        contradict(3)
        #expect(contradicts())
    }

    @Test func `a notification that agrees resets the count`() {
        for number in 1...2 as ClosedRange<UInt8> { contradict(number) }
        dates.agreed()
        for number in 3...4 as ClosedRange<UInt8> { contradict(number) }
        #expect(!contradicts())
        contradict(5)
        #expect(contradicts())
        dates.agreed()
        #expect(!contradicts())
    }

    @Test func `the contradiction expires five minutes after the last notification`() {
        for number in 1...3 as ClosedRange<UInt8> { contradict(number) }
        #expect(contradicts(at: 4))
        #expect(!contradicts(at: 5))
        contradict(4, at: 5)
        #expect(!contradicts(at: 5))
    }

    @Test func `a notification without an identity does not count`() {
        for _ in 0..<5 { dates.contradicted(by: nil, at: 0) }
        #expect(!contradicts())
    }
}
