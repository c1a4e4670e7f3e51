import Foundation
import Testing

/// Random stories, compared with an oracle written only from the specification. The tests query access at each time
/// twice: once with the statements received by then, and once with all statements for the access that Apple had signed
/// by then.
@Suite(.timeLimit(.minutes(60))) struct AccessStoryTests {
    @Test func `access is as specified, at the time and in retrospect`() throws {
        let environment = ProcessInfo.processInfo.environment
        let count = environment["SLUICE_TEST_STORIES"].flatMap { UInt64($0) } ?? 1_000
        let first = environment["SLUICE_TEST_FIRST_STORY"].flatMap { UInt64($0) } ?? 1
        var tally = AccessTally()
        for seed in first..<first + count {
            let differences = try AccessComparison(story: .random(seed: seed)).differences(&tally)
            for difference in differences { Issue.record("\(difference)") }
            if !differences.isEmpty { break }
        }
        // The stories reach every state except STALE, and most of the past is known.
        let states = ["ACTIVE", "RENEWING", "GRACE", "RETRY", "EXPIRED", "REVOKED", "OWNED", "ENDED"]
        for state in states { #expect(tally.states[state, default: 0] > 0, "no moment has the state \(state)") }
        #expect(tally.knownPast * 2 > tally.past)
    }
}
