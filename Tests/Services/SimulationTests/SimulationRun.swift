import Foundation
import Synchronization
import TestSupport

/// Runs simulations on threads of their own, one for each core.
struct SimulationRun {
    let seeds: ClosedRange<UInt64>
    /// Creates the service and its traffic.
    let makeWorkload: @Sendable (Simulation) -> any SimulationWorkload
    /// Whether the steps are printed.
    var isTraced = false

    private struct Outcome {
        let seed: UInt64
        let problems: [String]
        let digest: UInt64
        /// Whether no object of the run is left in memory.
        let isReleased: Bool
    }

    /// Returns the violated invariants of each seed that violates any.
    func failures() async throws -> [(seed: UInt64, problems: [String])] {
        try await outcomes().filter { !$0.problems.isEmpty }.map { ($0.seed, $0.problems) }
    }

    /// Returns the digests of the traces, by seed.
    func digests() async throws -> [UInt64: UInt64] {
        Dictionary(uniqueKeysWithValues: try await outcomes().map { ($0.seed, $0.digest) })
    }

    /// Returns the seeds with objects that outlive their run.
    func leaks() async throws -> [UInt64] { try await outcomes().filter { !$0.isReleased }.map(\.seed) }

    private func outcomes() async throws -> [Outcome] {
        let directory = try TemporaryDirectory()
        let queue = SeedQueue(seeds)
        let threads = isTraced ? 1 : ProcessInfo.processInfo.activeProcessorCount
        return try await withThrowingTaskGroup(of: [Outcome].self) { group in
            for _ in 0..<threads {
                group.addTask {
                    try await withCheckedThrowingContinuation { continuation in
                        let thread = Thread {
                            continuation.resume(with: Result { try runSeeds(of: queue, in: directory) })
                        }
                        thread.stackSize = 8 << 20
                        thread.start()
                    }
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }.sorted { $0.seed < $1.seed }
        }
    }

    /// Runs one seed after the other until none is left.
    private func runSeeds(of queue: SeedQueue, in directory: TemporaryDirectory) throws -> [Outcome] {
        var outcomes: [Outcome] = []
        while let seed = queue.next() {
            let (problems, digest, remnants) = run(seed, in: directory)
            let isReleased = remnants.allSatisfy { $0.object == nil }
            outcomes.append(Outcome(seed: seed, problems: problems, digest: digest, isReleased: isReleased))
            if !problems.isEmpty { queue.noteFailure() }
        }
        return outcomes
    }

    private func run(
        _ seed: UInt64, in directory: TemporaryDirectory
    ) -> (problems: [String], digest: UInt64, remnants: [WeakObject]) {
        let simulation = Simulation(
            seed: seed, in: directory.path, tell: isTraced ? { print($0) } : nil, makeWorkload)
        let problems = simulation.run()
        return (problems, simulation.digest, simulation.remnants)
    }
}

/// An object that someone else keeps.
struct WeakObject {
    weak var object: AnyObject?
}

/// The seeds that no thread has begun.
private final class SeedQueue: Sendable {
    private let last: UInt64
    private let current: Mutex<UInt64>
    private let failures = Atomic(0)

    init(_ seeds: ClosedRange<UInt64>) {
        last = seeds.upperBound
        current = Mutex(seeds.lowerBound)
    }

    /// Ends the queue after a few failures.
    func noteFailure() {
        current.withLock { current in
            failures.add(1, ordering: .relaxed)
            if failures.load(ordering: .relaxed) >= 3 { current = last + 1 }
        }
    }

    func next() -> UInt64? {
        current.withLock { current in
            guard current <= last else { return nil }
            defer { current += 1 }
            return current
        }
    }
}
