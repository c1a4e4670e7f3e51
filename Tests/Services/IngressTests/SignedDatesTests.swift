import Testing

@testable import Ingress

/// Detection of a slow local clock from the dates that Apple signed. Times are in minutes.
@Suite struct SignedDatesTests {
    private let dates = SignedDates()

    private func contradict(_ number: UInt8, at minute: Int64 = 0) {
        dates.contradicted(by: [number], at: minute * 60_000)
    }

    private func contradicts(at minute: Int64 = 0) -> Bool { dates.contradictClock(at: minute * 60_000) }

    @Test func `three different notifications are needed`() {
        contradict(1)
        contradict(2)
        for _ in 0..<10 { contradict(2) }
        #expect(!contradicts())
        contradict(3)
        #expect(contradicts())
    }

    @Test func `one that agrees between them ends it`() {
        for number in 1...2 as ClosedRange<UInt8> { contradict(number) }
        dates.agreed()
        for number in 3...4 as ClosedRange<UInt8> { contradict(number) }
        #expect(!contradicts())
        contradict(5)
        #expect(contradicts())
        dates.agreed()
        #expect(!contradicts())
    }

    @Test func `five minutes after the last one it is to be asked again`() {
        for number in 1...3 as ClosedRange<UInt8> { contradict(number) }
        #expect(contradicts(at: 4))
        #expect(!contradicts(at: 5))
        contradict(4, at: 5)
        #expect(!contradicts(at: 5))
    }

    @Test func `what was not identified counts for nothing`() {
        for _ in 0..<5 { dates.contradicted(by: nil, at: 0) }
        #expect(!contradicts())
    }
}
