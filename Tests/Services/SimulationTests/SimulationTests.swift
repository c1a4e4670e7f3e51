import Foundation
import TestSupport
import Testing

/// Seeds of the simulation. README.md says what is real in it and what is modelled.
@Suite(.timeLimit(.minutes(60)), .serialized) struct SimulationTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let seed = environment["SLUICE_TEST_SEED"].flatMap { UInt64($0) }
    private static let seeds =
        seed.map { $0...$0 } ?? 1...max(1, environment["SLUICE_TEST_SEEDS"].flatMap { UInt64($0) } ?? 200)

    /// The services that a seed can run.
    enum Service: String, CaseIterable, CustomTestStringConvertible {
        case refunds, sets

        var testDescription: String { rawValue }

        func workload(_ simulation: Simulation) -> any SimulationWorkload {
            switch self {
            case .refunds: RefundsWorkload(simulation)
            case .sets: SetsWorkload(simulation)
            }
        }
    }

    @Test(arguments: Service.allCases)
    func `every invariant holds in every step, whatever fails`(_ service: Service) async throws {
        let run = SimulationRun(seeds: Self.seeds, makeWorkload: service.workload, isTraced: Self.seed != nil)
        for (seed, problems) in try await run.failures() {
            Issue.record("seed \(seed): \(problems.joined(separator: "; ")); repeat it: make simulate SEED=\(seed)")
        }
    }

    @Test(arguments: Service.allCases)
    func `no object outlives its run`(_ service: Service) async throws {
        let run = SimulationRun(seeds: 1...10, makeWorkload: service.workload)
        #expect(try await run.leaks() == [])
    }

    @Test(
        .enabled(if: environment["SWIFT_DETERMINISTIC_HASHING"] != nil, "hashing is random"),
        arguments: Service.allCases)
    func `a seed has one course`(_ service: Service) async throws {
        let run = SimulationRun(seeds: 1...10, makeWorkload: service.workload)
        #expect(try await run.digests() == run.digests())
    }
}
