import Foundation
import TestSupport
import Testing

/// Random stories of requests, verdicts, consents, faults and kills, checked by an oracle written from the
/// specification alone.
@Suite(.timeLimit(.minutes(20))) struct RefundStoryTests {
    @Test func `the answers of random stories obey the specification`() async throws {
        let environment = ProcessInfo.processInfo.environment
        let count = environment["SLUICE_TEST_STORIES"].flatMap { Int($0) } ?? 1_000
        let player = try StoryPlayer(in: TemporaryDirectory())
        var (failed, put, accepted, ended) = (0, 0, 0, [String: Int]())
        for seed in 1...count {
            var random = SeededGenerator(seed: UInt64(seed))
            let story = RefundStory.random(&random)
            let trace = try await player.play(story)
            for event in trace {
                switch event {
                case .put: put += 1
                case .accepted: accepted += 1
                case .ended(_, _, let kind, _): ended[kind, default: 0] += 1
                default: break
                }
            }
            let problems = RefundOracle.problems(story, trace)
            guard !problems.isEmpty else { continue }
            failed += 1
            if failed <= 5 { Issue.record("story \(seed): \(problems.joined(separator: "; "))\n\(story)\n\(trace)") }
        }
        print(
            "\(count) stories, \(failed) against the specification: \(put) PUTs, \(accepted) accepted, ended \(ended)")
        #expect(failed == 0)
        // Checks that the stories cover every kind of end.
        if count >= 1_000 {
            #expect(Set(ended.keys) == ["withheld", "missed", "too_late", "refused"])
            #expect(accepted > count / 4)
        }
    }
}
