import Kafka
import PipelineTestSupport
import Synchronization
import TestSupport
import Testing

@testable import KeyedState

/// A member publishes rows of partitions that it does not follow, because the input is partitioned differently or the
/// model's key is not the record's key.
@Suite(.serialized, .timeLimit(.minutes(2))) struct StateOtherPartitionTests {
    @Test func `a worker continues if its rows belong to a partition that it does not follow`() async throws {
        try await publishElsewhere(on: StateHarness(partitions: 2))
    }

    @Test(.enabled(if: ApacheKafka.isAvailable, "\(ApacheKafka.absence)"))
    func `a worker on Apache Kafka continues if its rows belong to another partition`() async throws {
        try await publishElsewhere(on: .onApacheKafka(["cleanup.policy": "compact"], partitions: 2))
    }

    private func publishElsewhere(on harness: StateHarness) async throws {
        let key = harness.keys[1]
        let worker = try await harness.member("worker") { $0.role = .worker }
        try await worker.partitionAssigned(harness.place(0))
        let merging = Progressing {
            for number in 0..<200 { _ = try await worker.merge([NumberSet(key, [number])], from: harness.input) }
        }
        #expect(await merging.ends())
        // Rows that another member owns are not kept in memory.
        #expect(try worker.partition(harness.output(1)).withLock { $0.cache.entries.isEmpty && $0.cache.bytes == 0 })
        // The owner merges everything into one row.
        let owner = try await harness.member("owner") { $0.role = .worker }
        try await owner.partitionAssigned(harness.place(1))
        let all = String(decoding: NumberSet(key, Set(0..<200)).text, as: UTF8.self)
        #expect(await eventually { (try? await harness.lastValues()) == [key: all] })
        await worker.end()
        await owner.end()
    }

    @Test func `a worker that stops following a partition no longer waits for it`() async throws {
        let harness = try StateHarness(partitions: 2)
        let worker = try await harness.member("worker") { $0.role = .worker }
        worker.follow(harness.output(1))
        let waiting = Progressing { _ = await worker.progress.wait(for: 1_000, of: harness.output(1)) }
        try await waitUntil { worker.progress.isAwaited(harness.output(1)) }
        worker.adjustStandbys()
        #expect(await waiting.ends())
        await worker.end()
    }
}

/// An operation that may not end on its own.
final class Progressing: Sendable {
    private let isDone = Atomic(false)
    private let task = Mutex<Task<Void, any Error>?>(nil)

    init(_ body: @escaping @Sendable () async throws -> Void) {
        // `ends()` ends it.
        let running = Task { [self] in
            try await body()
            isDone.store(true, ordering: .sequentiallyConsistent)
        }
        task.withLock { $0 = running }
    }

    /// Whether it ends on its own in time. Otherwise, it is cancelled.
    func ends(within limit: Duration = .seconds(20)) async -> Bool {
        let isOver = await eventually(within: limit) { isDone.load(ordering: .sequentiallyConsistent) }
        task.withLock { $0 }?.cancel()
        return isOver
    }
}
