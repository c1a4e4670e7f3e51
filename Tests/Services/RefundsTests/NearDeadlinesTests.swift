import AppStoreModel
import AppStoreServerAPI
import Testing

@testable import Refunds

/// Rounds that are reported because their deadline is near.
@Suite struct NearDeadlinesTests {
    private static let minute: Int64 = 60_000

    private func candidate(
        _ name: String, deadline: Int64 = 720 * minute, until: Int64? = nil
    ) -> RefundSchedule.Candidate {
        RefundSchedule.Candidate(
            key: RefundSchedule.CaseKey(environment: .production, key: Array(name.utf8)),
            scope: APIScope(BundleId("com.example.app"), in: .production), deadline: deadline,
            until: until ?? deadline, isFrozen: false)
    }

    private func names(_ candidates: [RefundSchedule.Candidate]) -> [String] {
        candidates.map { String(decoding: $0.key.key, as: UTF8.self) }
    }

    @Test func `a round is reported once with two hours left, and once with fifteen minutes left`() {
        var near = NearDeadlines()
        // Check each second of the twelve hours.
        let reports = (0..<43_200).filter { !near.due([candidate("a")], at: Int64($0) * 1_000).isEmpty }
        #expect(reports == [600 * 60, 705 * 60])
    }

    @Test func `a round that is first seen late is reported once`() {
        var near = NearDeadlines()
        #expect(names(near.due([candidate("a")], at: 710 * Self.minute)) == ["a"])
        #expect(near.due([candidate("a")], at: 711 * Self.minute).isEmpty)
    }

    @Test func `a round that is over or too late is not reported`() {
        var near = NearDeadlines()
        #expect(near.due([candidate("a")], at: 720 * Self.minute).isEmpty)
        #expect(near.due([candidate("b", until: 0)], at: 700 * Self.minute).isEmpty)
        #expect(near.due([candidate("c", deadline: .min, until: .max)], at: .max - 1).isEmpty)
    }

    @Test func `each round is reported separately, even a later one of the same case`() {
        var near = NearDeadlines()
        let now = 650 * Self.minute
        #expect(names(near.due([candidate("a"), candidate("b", deadline: 1_000 * Self.minute)], at: now)) == ["a"])
        #expect(names(near.due([candidate("a"), candidate("c")], at: now)) == ["c"])
        #expect(names(near.due([candidate("a", deadline: 700 * Self.minute)], at: now)) == ["a"])
    }
}
