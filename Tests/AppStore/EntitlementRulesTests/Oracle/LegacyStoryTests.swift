import Foundation
import Testing

/// Random stories of version 1 bodies interleaved with Apple's answers, compared with an oracle written only from
/// app-store.md 12.4.
@Suite(.timeLimit(.minutes(60))) struct LegacyStoryTests {
    @Test func `access with version 1 is as specified under observe, confirm and accept`() throws {
        let environment = ProcessInfo.processInfo.environment
        let count = environment["SLUICE_TEST_STORIES"].flatMap { UInt64($0) } ?? 500
        let first = environment["SLUICE_TEST_FIRST_STORY"].flatMap { UInt64($0) } ?? 1
        var tally = LegacyComparison.Tally()
        for seed in first..<first + count {
            let differences = try LegacyComparison(story: .random(seed: seed)).differences(&tally)
            for difference in differences { Issue.record("\(difference)") }
            if !differences.isEmpty { break }
        }
        // Version 1 decides at least once in every state that can result from an accepted body.
        for state in ["ACTIVE", "RENEWING", "GRACE", "RETRY", "EXPIRED", "REVOKED"] {
            #expect(tally.states[state, default: 0] > 0, "version 1 never led to \(state)")
        }
    }
}
