import AppStoreModel
import AppStoreServerAPI
import Testing

@testable import Refunds

private let hour: Int64 = 3_600_000
private let app = APIScope(BundleId("com.example.app"), in: .production)
private let other = APIScope(BundleId("com.example.other"), in: .production)
private let sandbox = APIScope(BundleId("com.example.app"), in: .sandbox)

private func key(_ number: Int) -> RefundSchedule.CaseKey {
    RefundSchedule.CaseKey(environment: .production, key: Array("\(number)".utf8))
}

/// Returns cases 1, 2, 3, … with deadlines a second apart, each attempted until its deadline.
private func waiting(
    _ numbers: ClosedRange<Int>, of scope: APIScope = app, isFrozen: Bool = true
) -> [RefundSchedule.Candidate] {
    numbers.map {
        let deadline = 12 * hour + Int64($0) * 1_000
        return RefundSchedule.Candidate(
            key: key($0), scope: scope, deadline: deadline, until: deadline, isFrozen: isFrozen)
    }
}

private func send(_ number: Int, attempts: Int = 1, isLast: Bool = false) -> RefundSchedule.Step {
    .send(key(number), attempts: attempts, isLast: isLast)
}

/// Decides on requests and times, without tasks or brokers.
@Suite struct RefundScheduleTests {
    private func schedule(concurrency: Int = 1) -> RefundSchedule {
        RefundSchedule(concurrency: concurrency, fallbackMargin: hour)
    }

    /// Plans with as many rows of each app and environment as the schedule requests, earliest first, as the scheduler
    /// does.
    private func plan(
        _ schedule: inout RefundSchedule, _ candidates: [RefundSchedule.Candidate], at now: Int64 = 0
    ) -> [RefundSchedule.Step] {
        schedule.beginLook()
        var rows: [RefundSchedule.Candidate] = []
        for scope in [app, other, sandbox] {
            let due = candidates.filter { $0.scope == scope }.sorted { $0.deadline < $1.deadline }
            rows += due.prefix(schedule.rowsWanted { $0 == scope })
        }
        return schedule.plan(rows, at: now)
    }

    /// Sends planned requests until a number of attempts has failed. A second passes after each check.
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
        #expect(plan(&schedule, waiting(1...5).reversed()) == [send(1), send(2)])
        #expect(plan(&schedule, waiting(1...5)).isEmpty)
        schedule.sent(key(1), app, .done, .answers, attempts: 1, at: 0)
        #expect(plan(&schedule, waiting(2...5)) == [send(3)])
    }

    @Test func `production precedes the sandbox, regardless of the deadlines`() {
        var schedule = schedule()
        #expect(plan(&schedule, waiting(1...3, of: sandbox) + waiting(4...5)) == [send(4)])
        schedule.sent(key(4), app, .done, .answers, attempts: 1, at: 0)
        schedule.sent(key(5), app, .done, .answers, attempts: 1, at: 0)
        #expect(plan(&schedule, waiting(1...3, of: sandbox)) == [send(1)])
    }

    @Test func `answers are decided in advance, sixteen at a time`() {
        var schedule = schedule()
        let steps = plan(&schedule, waiting(1...1) + waiting(2...40, isFrozen: false))
        #expect(steps.first == send(1))
        #expect(steps.dropFirst() == (2...17).map { .decide(key($0), isOver: false, attempts: 0) }[...])
    }

    @Test func `rows read before the end of a case's work start no new work for it`() {
        var schedule = schedule()
        _ = plan(&schedule, waiting(1...2))
        schedule.beginLook()
        schedule.sent(key(1), app, .done, .answers, attempts: 1, at: 0)
        #expect(schedule.plan(waiting(1...2), at: 0) == [send(2)])
    }

    @Test func `a round past its time is only recorded`() {
        var schedule = schedule()
        #expect(
            plan(&schedule, waiting(1...1), at: 12 * hour + 1_000) == [.decide(key(1), isOver: true, attempts: 0)])
    }

    @Test func `a round past its deadline is attempted until its last receipt is 12 hours old`() {
        var schedule = schedule()
        let late = RefundSchedule.Candidate(
            key: key(1), scope: app, deadline: hour, until: 12 * hour, isFrozen: true)
        #expect(plan(&schedule, [late], at: 2 * hour) == [send(1)])
    }

    // MARK: Failures

    @Test func `a failing case is retried later, and the next case is sent`() {
        var schedule = schedule()
        _ = plan(&schedule, waiting(1...2))
        schedule.sent(key(1), app, .retry, .fails(), attempts: 1, at: 0)
        #expect(plan(&schedule, waiting(1...2)) == [send(2)])
        schedule.sent(key(2), app, .done, .answers, attempts: 1, at: 0)
        #expect(plan(&schedule, waiting(1...1), at: 1_000) == [send(1, attempts: 2)])
    }

    @Test func `an app with a failing API is probed with its earliest case, and then resumes in order`() {
        var schedule = schedule(concurrency: 4)
        var now: Int64 = 0
        let cases = waiting(1...20)
        fail(&schedule, cases, times: 8, at: &now)
        #expect(schedule.pausedEnvironments == [.production])
        now += 600_000
        // Cases are attempted one at a time, starting with the earliest deadline.
        let probe = plan(&schedule, cases, at: now)
        guard case .send(key(1), let attempts, false)? = probe.first, probe.count == 1 else {
            Issue.record("\(probe)")
            return
        }
        #expect(plan(&schedule, cases, at: now).isEmpty)
        schedule.sent(key(1), app, .retry, .fails(), attempts: attempts, at: now)
        #expect(plan(&schedule, cases, at: now).isEmpty)
        now += 60_000
        let next = plan(&schedule, cases, at: now)
        guard case .send(let found, let count, false)? = next.first, next.count == 1 else {
            Issue.record("\(next)")
            return
        }
        schedule.sent(found, app, .done, .answers, attempts: count, at: now)
        #expect(schedule.pausedEnvironments.isEmpty)
        // Back-offs set during the outage have expired.
        #expect(plan(&schedule, cases.filter { $0.key != found }, at: now).count == 4)
    }

    @Test func `twelve cases send at most 40 requests in ten minutes to a failing endpoint`() throws {
        var schedule = schedule()
        let cases = waiting(1...12)
        var (requests, isDownSince) = (0, Int64?.none)
        for now in stride(from: Int64(0), to: 600_000, by: 500) {
            for step in plan(&schedule, cases, at: now) {
                guard case .send(let key, let attempts, _) = step else { continue }
                requests += 1
                schedule.sent(key, app, .retry, .fails(), attempts: attempts, at: now)
            }
            if !schedule.pausedEnvironments.isEmpty { isDownSince = isDownSince ?? now }
        }
        #expect(requests <= 40)
        // The gauge used by the alert remains at 1 meanwhile.
        #expect(try #require(isDownSince) < 30_000)
        #expect(schedule.pausedEnvironments == [.production])
    }

    @Test func `a failure unrelated to the API does not end a pause`() {
        var schedule = schedule()
        var now: Int64 = 0
        fail(&schedule, waiting(1...20), times: 8, at: &now)
        now += 600_000
        guard case .send(let found, let attempts, _)? = plan(&schedule, waiting(1...20), at: now).first else {
            Issue.record("nothing is sent")
            return
        }
        schedule.sent(found, app, .retry, .unknown, attempts: attempts, at: now)
        #expect(schedule.pausedEnvironments == [.production])
    }

    @Test func `an app with a refused key does not delay other apps`() {
        var schedule = schedule()
        var now: Int64 = 0
        let refused = waiting(1...200, of: other)
        fail(&schedule, refused, times: 8, at: &now)
        #expect(plan(&schedule, refused + waiting(201...201), at: now).contains(send(201)))
    }

    @Test func `a retry time for one app and environment does not delay requests of another`() {
        var schedule = schedule()
        let production = waiting(1...100)
        _ = plan(&schedule, production)
        schedule.sent(key(1), app, .retry, .fails(retryAt: hour), attempts: 1, at: 0)
        // These deadlines are later than all others.
        let others = waiting(101...101, of: sandbox) + waiting(102...102, of: other)
        #expect(plan(&schedule, production + others, at: 5_000) == [send(102)])
        schedule.sent(key(102), other, .done, .answers, attempts: 1, at: 5_000)
        #expect(plan(&schedule, production + others.dropLast(), at: 5_000) == [send(101)])
        schedule.sent(key(101), sandbox, .done, .answers, attempts: 1, at: 5_000)
        #expect(plan(&schedule, production, at: hour - 1).isEmpty)
        #expect(plan(&schedule, production, at: hour) == [send(1, attempts: 2)])
    }

    @Test func `a hundred undecidable cases do not delay the case behind them`() {
        var schedule = schedule()
        let stuck = waiting(1...100, isFrozen: false)
        var now: Int64 = 0
        for _ in 0..<20 {
            for step in plan(&schedule, stuck, at: now) {
                guard case .decide(let key, _, let attempts) = step else { continue }
                schedule.decided(key, .retry, .answers, attempts: attempts, at: now)
            }
            now += 100
        }
        #expect(plan(&schedule, stuck + waiting(101...101), at: now).contains(send(101)))
    }

    // MARK: Last attempts

    @Test func `two minutes before its end a case is sent regardless of back-off and pauses`() {
        var schedule = schedule()
        let cases = waiting(1...1)
        let last = 12 * hour + 1_000 - 120_000
        var now = last - 2_000
        // The back-off has grown to minutes and ends after the deadline.
        guard case .send(_, _, false)? = plan(&schedule, cases, at: now).first else {
            Issue.record("nothing is sent")
            return
        }
        schedule.sent(key(1), app, .retry, .fails(retryAt: now + hour), attempts: 12, at: now)
        now = last - 1
        #expect(plan(&schedule, cases, at: now).isEmpty)
        #expect(plan(&schedule, cases, at: last) == [send(1, attempts: 13, isLast: true)])
        // This happens only once. Afterwards, the back-off applies again.
        schedule.sent(key(1), app, .retry, .fails(), attempts: 13, at: last)
        #expect(plan(&schedule, cases, at: last + 1_000).isEmpty)
    }

    @Test func `an undecided case is decided when the fallback is due, regardless of its back-off`() {
        var schedule = schedule()
        let cases = waiting(1...1, isFrozen: false)
        let margin = 11 * hour + 1_000
        _ = plan(&schedule, cases, at: margin - 1_000)
        schedule.decided(key(1), .retry, .answers, attempts: 12, at: margin - 1_000)
        #expect(plan(&schedule, cases, at: margin - 1).isEmpty)
        #expect(plan(&schedule, cases, at: margin) == [.decide(key(1), isOver: false, attempts: 13)])
    }

    // MARK: The company's service

    @Test func `an unresponsive service is queried for one case at a time, until the fallback is due`() {
        var schedule = schedule()
        let cases = waiting(1...40, isFrozen: false)
        #expect(plan(&schedule, waiting(1...8, isFrozen: false)).count == 8)
        for number in 1...8 {
            schedule.decided(key(number), .retry, .fails(), attempts: 0, at: 0)
        }
        #expect(plan(&schedule, cases, at: 999).isEmpty)
        #expect(plan(&schedule, cases, at: 600_000) == [.decide(key(1), isOver: false, attempts: 1)])
        schedule.decided(key(1), .retry, .fails(), attempts: 1, at: 600_000)
        // An hour before the deadline the fallback decides the first nine.
        let steps = plan(&schedule, cases, at: 11 * hour + 9_000)
        #expect(steps == (1...9).map { .decide(key($0), isOver: false, attempts: $0 == 1 ? 2 : $0 < 9 ? 1 : 0) })
    }

    @Test func `an answer frozen in the meantime does not wait for the next decision`() {
        var schedule = schedule()
        _ = plan(&schedule, waiting(1...1, isFrozen: false))
        schedule.decided(key(1), .retry, .fails(), attempts: 0, at: 0)
        #expect(plan(&schedule, waiting(1...1, isFrozen: false)).isEmpty)
        #expect(plan(&schedule, waiting(1...1)) == [send(1)])
    }
}
