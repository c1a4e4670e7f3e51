import Foundation
import Synchronization
import TestSupport
import Testing

/// Seeds of the simulation. README.md says what is real in it and what is modelled.
@Suite(.timeLimit(.minutes(60))) struct SimulationTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let count = environment["SLUICE_TEST_SEEDS"].flatMap { UInt64($0) } ?? 200
    private static let seed = environment["SLUICE_TEST_SEED"].flatMap { UInt64($0) }

    @Test func `every invariant holds in every step, whatever fails`() async throws {
        let first = Self.seed ?? 1
        let last = Self.seed ?? Self.count
        let failures = try await SimulationRun(seeds: first...last, isTraced: Self.seed != nil).failures()
        for (seed, problems) in failures {
            Issue.record("seed \(seed): \(problems.joined(separator: "; ")); repeat it: make simulate SEED=\(seed)")
        }
    }

    @Test(.enabled(if: environment["SWIFT_DETERMINISTIC_HASHING"] != nil, "hashing is random"))
    func `a seed has one course`() async throws {
        let first = try await SimulationRun(seeds: 1...20).digests()
        let second = try await SimulationRun(seeds: 1...20).digests()
        #expect(first == second)
    }
}
