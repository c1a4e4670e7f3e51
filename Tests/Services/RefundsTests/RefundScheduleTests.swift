import AppStoreModel
import AppStoreServerAPI
import Testing

@testable import Refunds

private let hour: Int64 = 3_600_000
private let app = APIScope(BundleId("com.example.app"), in: .production)
private let other = APIScope(BundleId("com.example.other"), in: .production)

private func key(_ number: Int) -> RefundSchedule.CaseKey {
    RefundSchedule.CaseKey(environment: .production, key: Array("\(number)".utf8))
}

/// Cases 1, 2, 3, … with deadlines a second apart.
private func waiting(
    _ numbers: ClosedRange<Int>, of scope: APIScope = app, isFrozen: Bool = true
) -> [RefundSchedule.Candidate] {
    numbers.map {
        RefundSchedule.Candidate(
            key: key($0), scope: scope, deadline: 12 * hour + Int64($0) * 1_000, isFrozen: isFrozen)
    }
}

/// What is done about requests, and when, without tasks and brokers.
@Suite struct RefundScheduleTests {
    private func schedule(concurrency: Int = 1) -> RefundSchedule {
        RefundSchedule(concurrency: concurrency, fallbackMargin: hour)
    }

    private func plan(
        _ schedule: inout RefundSchedule, _ candidates: [RefundSchedule.Candidate], at now: Int64 = 0
    ) -> [RefundSchedule.Step] {
        _ = schedule.beginLook()
        return schedule.plan(candidates, at: now)
    }

    /// Sends what is planned for one scope until nothing is, each with this end.
    private func fail(
        _ schedule: inout RefundSchedule, _ candidates: [RefundSchedule.Candidate], times: Int, at now: inout Int64
    ) {
        var failed = 0
        while failed < times {
            for step in plan(&schedule, candidates, at: now) {
                guard case .send(let key, let attempts, _) = step else { continue }
                schedule.sent(key, candidates[0].scope, .retry, .fails(), attempts: attempts, at: now)
                failed += 1
            }
            now += 1_000
        }
    }

    // MARK: Order

    @Test func `frozen answers are sent in the order of deadlines, as many at once as configured`() {
        var schedule = schedule(concurrency: 2)
        #expect(
            plan(&schedule, waiting(1...5)) == [
                .send(key(1), attempts: 1, isLast: false), .send(key(2), attempts: 1, isLast: false),
            ])
        #expect(plan(&schedule, waiting(1...5)).isEmpty)
        schedule.sent(key(1), app, .done, .answers, attempts: 1, at: 0)
        #expect(plan(&schedule, waiting(2...5)) == [.send(key(3), attempts: 1, isLast: false)])
    }

    @Test func `answers are decided ahead, sixteen at a time`() {
        var schedule = schedule()
        let steps = plan(&schedule, waiting(1...1) + waiting(2...40, isFrozen: false))
        #expect(steps.first == .send(key(1), attempts: 1, isLast: false))
        #expect(steps.dropFirst() == (2...17).map { .decide(key($0), isOver: false, attempts: 0) }[...])
    }

    @Test func `nothing is begun by rows that were read before a case's work ended`() {
        var schedule = schedule()
        _ = plan(&schedule, waiting(1...2))
        _ = schedule.beginLook()
        schedule.sent(key(1), app, .done, .answers, attempts: 1, at: 0)
        #expect(schedule.plan(waiting(1...2), at: 0) == [.send(key(2), attempts: 1, isLast: false)])
    }

    @Test func `what has no time left is only recorded`() {
        var schedule = schedule()
        #expect(
            plan(&schedule, waiting(1...1), at: 12 * hour + 1_000) == [.decide(key(1), isOver: true, attempts: 0)])
    }

    // MARK: Failures

    @Test func `a case that fails is tried later, and the next one goes`() {
        var schedule = schedule()
        _ = plan(&schedule, waiting(1...2))
        schedule.sent(key(1), app, .retry, .fails(), attempts: 1, at: 0)
        #expect(plan(&schedule, waiting(1...2)) == [.send(key(2), attempts: 1, isLast: false)])
        schedule.sent(key(2), app, .done, .answers, attempts: 1, at: 0)
        #expect(plan(&schedule, waiting(1...1), at: 1_000) == [.send(key(1), attempts: 2, isLast: false)])
    }

    @Test func `an app whose API fails is left alone until a probe goes through, and then goes in order`() {
        var schedule = schedule()
        var now: Int64 = 0
        let cases = waiting(1...20)
        fail(&schedule, cases, times: 8, at: &now)
        #expect(schedule.isPaused)
        #expect(plan(&schedule, cases, at: now) == [.probe(app)])
        #expect(plan(&schedule, cases, at: now).isEmpty)
        schedule.probed(app, .fails(), at: now)
        #expect(plan(&schedule, cases, at: now).isEmpty)
        #expect(plan(&schedule, cases, at: now + 60_000) == [.probe(app)])
        schedule.probed(app, .answers, at: now + 60_000)
        #expect(!schedule.isPaused)
        #expect(plan(&schedule, cases, at: now + 60_000).first == .send(key(1), attempts: 1, isLast: false))
    }

    @Test func `an app whose key is refused holds up no other`() {
        var schedule = schedule()
        var now: Int64 = 0
        let refused = waiting(1...20, of: other)
        fail(&schedule, refused, times: 8, at: &now)
        #expect(
            plan(&schedule, refused + waiting(21...21), at: now) == [
                .send(key(21), attempts: 1, isLast: false), .probe(other),
            ])
        // However many of them wait in front.
        #expect(schedule.beginLook() >= 1_000 + refused.count)
    }

    @Test func `a case that always fails holds up no later one`() {
        var schedule = schedule()
        var now: Int64 = 0
        for _ in 0..<8 {
            now += 600_000
            guard case .send(_, let attempts, _)? = plan(&schedule, waiting(1...1), at: now).first else {
                Issue.record("nothing is sent")
                return
            }
            schedule.sent(key(1), app, .retry, .fails(), attempts: attempts, at: now)
        }
        #expect(plan(&schedule, waiting(1...2), at: now + 1_000) == [.probe(app)])
        schedule.probed(app, .answers, at: now + 1_000)
        _ = plan(&schedule, waiting(1...2), at: now + 1_000)
        schedule.sent(key(1), app, .retry, .fails(), attempts: 1, at: now + 1_000)
        #expect(plan(&schedule, waiting(1...2), at: now + 1_000) == [.send(key(2), attempts: 1, isLast: false)])
    }

    @Test func `two minutes before its deadline a case is sent, whatever the API or Apple said`() {
        var schedule = schedule()
        var now: Int64 = 0
        let cases = waiting(1...1)
        fail(&schedule, cases, times: 8, at: &now)
        let last = 12 * hour + 1_000 - 120_000
        #expect(!plan(&schedule, cases, at: last - 1).contains { if case .send = $0 { true } else { false } })
        #expect(plan(&schedule, cases, at: last).first == .send(key(1), attempts: 9, isLast: true))
    }

    @Test func `a time that Apple named holds for the app alone`() {
        var schedule = schedule()
        _ = plan(&schedule, waiting(1...1))
        schedule.sent(key(1), app, .retry, .fails(retryAt: hour), attempts: 1, at: 0)
        let both = waiting(1...2) + waiting(3...3, of: other)
        #expect(plan(&schedule, both, at: hour - 1) == [.send(key(3), attempts: 1, isLast: false)])
        schedule.sent(key(3), other, .done, .answers, attempts: 1, at: hour - 1)
        #expect(plan(&schedule, waiting(1...2), at: hour) == [.send(key(1), attempts: 2, isLast: false)])
    }

    // MARK: The company's service

    @Test func `a service that does not answer is asked one case at a time, until no time is left for it`() {
        var schedule = schedule()
        let cases = waiting(1...40, isFrozen: false)
        #expect(plan(&schedule, waiting(1...8, isFrozen: false)).count == 8)
        for number in 1...8 {
            schedule.decided(key(number), .retry, .fails(), attempts: 0, at: 0)
        }
        #expect(plan(&schedule, cases, at: 999).isEmpty)
        #expect(plan(&schedule, cases, at: 600_000) == [.decide(key(1), isOver: false, attempts: 1)])
        schedule.decided(key(1), .retry, .fails(), attempts: 1, at: 600_000)
        // An hour before the deadline of the first nine the fallback decides them.
        let steps = plan(&schedule, cases, at: 11 * hour + 9_000)
        #expect(steps == (1...9).map { .decide(key($0), isOver: false, attempts: $0 == 1 ? 2 : $0 < 9 ? 1 : 0) })
    }

    @Test func `what was frozen meanwhile does not wait for the next decision`() {
        var schedule = schedule()
        _ = plan(&schedule, waiting(1...1, isFrozen: false))
        schedule.decided(key(1), .retry, .fails(), attempts: 0, at: 0)
        #expect(plan(&schedule, waiting(1...1, isFrozen: false)).isEmpty)
        #expect(plan(&schedule, waiting(1...1)) == [.send(key(1), attempts: 1, isLast: false)])
    }
}
