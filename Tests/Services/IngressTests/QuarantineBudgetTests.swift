import Testing

@testable import Ingress

@Suite struct QuarantineBudgetTests {
    private static let hour: UInt64 = 3_600_000_000_000

    @Test func `a record that exceeds the budget is refused and consumes nothing`() {
        let budget = QuarantineBudget(bytesPerHour: 100, nowNanoseconds: 0)
        #expect(budget.take(60, nowNanoseconds: 0))
        #expect(!budget.take(41, nowNanoseconds: 0))
        #expect(budget.take(40, nowNanoseconds: 0))
        #expect(!budget.take(1, nowNanoseconds: 0))
        #expect(budget.spentShare(nowNanoseconds: 0) == 1)
    }

    @Test func `the bucket refills linearly and never exceeds its capacity`() {
        let budget = QuarantineBudget(bytesPerHour: 1000, nowNanoseconds: 0)
        #expect(budget.take(1000, nowNanoseconds: 0))
        #expect(!budget.take(251, nowNanoseconds: Self.hour / 4))
        #expect(budget.take(249, nowNanoseconds: Self.hour / 4))
        #expect(budget.spentShare(nowNanoseconds: Self.hour * 9) == 0)
        #expect(!budget.take(1001, nowNanoseconds: Self.hour * 9))
    }

    @Test func `a clock that goes backwards refills nothing`() {
        let budget = QuarantineBudget(bytesPerHour: 10, nowNanoseconds: Self.hour)
        #expect(budget.take(10, nowNanoseconds: Self.hour))
        #expect(!budget.take(1, nowNanoseconds: 0))
    }

    @Test func `a reservation that was not written is returned, at most up to the capacity`() {
        let budget = QuarantineBudget(bytesPerHour: 10, nowNanoseconds: 0)
        #expect(budget.take(8, nowNanoseconds: 0))
        budget.giveBack(8)
        budget.giveBack(8)
        #expect(budget.take(10, nowNanoseconds: 0))
        #expect(!budget.take(1, nowNanoseconds: 0))
    }

    @Test(arguments: [0, -5]) func `a budget of zero is always spent`(bytesPerHour: Int) {
        let budget = QuarantineBudget(bytesPerHour: bytesPerHour, nowNanoseconds: 0)
        #expect(!budget.take(1, nowNanoseconds: Self.hour))
        #expect(budget.spentShare(nowNanoseconds: Self.hour) == 1)
    }
}
