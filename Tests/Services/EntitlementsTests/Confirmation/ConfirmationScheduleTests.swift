import AppStoreModel
import AppStoreServerAPI
import Testing

@testable import Entitlements

@Suite struct ConfirmationScheduleTests {
    private typealias Key = ConfirmationSchedule.Key
    private let scope = APIScope(BundleId("com.example"), in: .production)
    private let other = APIScope(BundleId("com.other"), in: .production)

    private func key(_ number: UInt8, _ scope: APIScope? = nil) -> Key {
        Key(scope: scope ?? self.scope, key: [number])
    }

    private func plan(
        _ schedule: inout ConfirmationSchedule, _ keys: [Key], due: Int64 = 0, at now: Int64
    ) -> [ConfirmationSchedule.Step] {
        _ = schedule.beginLook()
        return schedule.plan(
            keys.map { ConfirmationSchedule.Candidate(key: $0.key, scope: $0.scope, due: due) }, at: now)
    }

    @Test func `a purchase waits for the signed notification of the same event before Apple is queried`() {
        var schedule = ConfirmationSchedule(delay: .seconds(5))
        #expect(plan(&schedule, [key(1)], due: 1_000, at: 1_000).isEmpty)
        #expect(plan(&schedule, [key(1)], due: 1_000, at: 5_999).isEmpty)
        #expect(schedule.oldest == 1_000)
        #expect(plan(&schedule, [key(1)], due: 1_000, at: 6_000) == [.ask(key(1), attempts: 1)])
        #expect(plan(&schedule, [], at: 7_000).isEmpty)
        #expect(schedule.oldest == nil)
    }

    @Test func `notifications older than the delay are queried immediately, even in a replay`() {
        var schedule = ConfirmationSchedule(delay: .seconds(5))
        #expect(plan(&schedule, [key(1)], due: 1_000, at: 6_000) == [.ask(key(1), attempts: 1)])
    }

    @Test func `one check covers more purchases than the API budget permits during the delay`() {
        var schedule = ConfirmationSchedule(delay: .seconds(5))
        #expect(schedule.beginLook() >= 5 * 50)
    }

    @Test func `purchases unknown to Apple are queried again at intervals that grow to a day`() {
        var schedule = ConfirmationSchedule(delay: .zero)
        var now: Int64 = 0
        var distances: [Int64] = []
        for attempt in 1...18 {
            #expect(plan(&schedule, [key(1)], at: now) == [.ask(key(1), attempts: attempt)])
            schedule.asked(key(1), .unsettled, .answers, attempts: attempt, at: now)
            let distance = ConfirmationSchedule.unsettledDelay(attempts: attempt)
            #expect(plan(&schedule, [key(1)], at: now + distance - 1).isEmpty)
            distances.append(distance)
            now += distance
        }
        #expect(distances.prefix(4) == [5_000, 10_000, 20_000, 40_000])
        #expect(distances.suffix(2) == [86_400_000, 86_400_000])
    }

    @Test func `each purchase has one query at a time, and the number of concurrent queries is limited`() {
        var schedule = ConfirmationSchedule(delay: .zero)
        let keys = (0..<UInt8(ConfirmationSchedule.concurrency + 12)).map { key($0) }
        let first = plan(&schedule, keys, at: 0)
        #expect(first.count == ConfirmationSchedule.concurrency)
        #expect(plan(&schedule, keys, at: 1).isEmpty)
        // Rows that were read before the work ended do not reflect its result.
        _ = schedule.beginLook()
        schedule.asked(key(0), .done, .answers, attempts: 1, at: 2)
        let next = schedule.plan(keys.map { .init(key: $0.key, scope: $0.scope, due: 0) }, at: 2)
        #expect(next == [.ask(key(UInt8(ConfirmationSchedule.concurrency)), attempts: 1)])
    }

    @Test func `a failed query is retried later and does not delay others`() {
        var schedule = ConfirmationSchedule(delay: .zero)
        _ = plan(&schedule, [key(1)], at: 0)
        schedule.asked(key(1), .retry, .answers, attempts: 1, at: 0)
        #expect(plan(&schedule, [key(1), key(2)], at: 1) == [.ask(key(2), attempts: 1)])
        #expect(plan(&schedule, [key(1)], at: 1_000) == [.ask(key(1), attempts: 2)])
    }

    @Test func `a purchase whose row is not read while its app is paused keeps its backoff`() {
        var schedule = ConfirmationSchedule(delay: .zero)
        _ = plan(&schedule, [key(1), key(2)], at: 0)
        schedule.asked(key(1), .unsettled, .answers, attempts: 5, at: 0)
        schedule.asked(key(2), .retry, .fails(retryAt: 30_000), attempts: 1, at: 0)
        _ = schedule.beginLook()
        #expect(schedule.pausedScopes(at: 1) == [scope])
        #expect(schedule.plan([.init(key: key(2).key, scope: scope, due: 0)], at: 1).isEmpty)
        _ = schedule.beginLook()
        #expect(schedule.pausedScopes(at: 30_000).isEmpty)
        let candidates = [key(1), key(2)].map { ConfirmationSchedule.Candidate(key: $0.key, scope: $0.scope, due: 0) }
        #expect(schedule.plan(candidates, at: 30_000) == [.ask(key(2), attempts: 2)])
        #expect(
            schedule.plan(candidates, at: ConfirmationSchedule.unsettledDelay(attempts: 5))
                == [.ask(key(1), attempts: 6)])
    }

    @Test func `an unavailable API is probed for each app before queries resume`() {
        var schedule = ConfirmationSchedule(delay: .zero)
        var now: Int64 = 0
        for attempt in 1...ServicePause.limit {
            now += 600_000
            #expect(plan(&schedule, [key(1)], at: now) == [.ask(key(1), attempts: attempt)])
            schedule.asked(key(1), .retry, .fails(), attempts: attempt, at: now)
        }
        #expect(schedule.isPaused)
        #expect(plan(&schedule, [key(1), key(2, other)], at: now + 1) == [.ask(key(2, other), attempts: 1)])
        now += 600_000
        #expect(plan(&schedule, [key(1)], at: now) == [.probe(scope)])
        #expect(plan(&schedule, [key(1)], at: now).isEmpty)
        schedule.probed(scope, .answers, at: now)
        #expect(!schedule.isPaused)
        // A key that failed during the pause is queried at once.
        #expect(plan(&schedule, [key(1)], at: now) == [.ask(key(1), attempts: 1)])
    }
}
