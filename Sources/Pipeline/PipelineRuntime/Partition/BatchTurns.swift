internal import Kafka
internal import Synchronization

/// Limits the size and the number of a member's concurrent batches.
///
/// A partition with a backlog waits for its turn and then handles a large batch; only a few partitions have a turn at a
/// time. A few large batches cost less per record than one small batch per partition at the same time, and their memory
/// use does not grow with the number of partitions. A partition without a backlog handles a small batch immediately.
final class BatchTurns: Sendable {
    /// The limits on a partition's next batch.
    struct Limits: Equatable, Sendable {
        let bytes: Int
        /// Whether the partition has a backlog. It then takes only the records that are available, because other
        /// partitions may be waiting for a turn.
        let isLarge: Bool
    }

    /// The maximum size of a batch in a partition without a backlog. A partition starts with this size because its
    /// record rate is unknown.
    private static var smallBytes: Int { 64 << 10 }
    /// The maximum size of a batch in a partition with a backlog.
    private static var largeBytes: Int { 512 << 10 }
    /// The maximum wait for a turn. The wait is limited so that slow batches, for example in partitions without a
    /// leader, do not stop the other partitions.
    private static var longestWait: Duration { .milliseconds(250) }

    private struct State {
        /// Partitions with more records than a small batch.
        var backlogs: Set<KafkaTopicPartition> = []
        /// Partitions that have a turn.
        var holders: Set<KafkaTopicPartition> = []
    }

    private let total: Int
    private let permits: Permits
    private let state = Mutex(State())

    /// - Parameter total: the limit on the large batches of all partitions, in bytes of key, value and headers.
    init(total: Int) {
        self.total = max(1, total)
        permits = Permits(total / Self.largeBytes)
    }

    /// Ends the current batch of a partition and, if it has a backlog, waits for its next turn.
    func next(of partition: any WorkerPartition) async -> Limits {
        let name = partition.topicPartition
        end(name)
        guard state.withLock({ $0.backlogs.contains(name) }) else {
            return Limits(bytes: min(total, Self.smallBytes), isLarge: false)
        }
        if await waitForTurn(partition) { state.withLock { _ = $0.holders.insert(name) } }
        return Limits(bytes: min(total, Self.largeBytes), isLarge: true)
    }

    /// Begins a batch with the records that were read.
    ///
    /// - Parameter most: the maximum number of records that could have been read.
    func begin(_ records: [KafkaRecord], of partition: KafkaTopicPartition, atMost most: Int, bytes: Int) {
        let size = records.reduce(0) { $0 + $1.payloadBytes }
        let hasBacklog = records.count == most || size >= min(bytes, Self.smallBytes)
        state.withLock { state in
            if hasBacklog { state.backlogs.insert(partition) } else { state.backlogs.remove(partition) }
        }
        if records.isEmpty { end(partition) }
    }

    /// Ends a partition's turn, if it has one. Called when the partition's batch has ended or must wait.
    func end(_ partition: KafkaTopicPartition) {
        guard state.withLock({ $0.holders.remove(partition) }) != nil else { return }
        permits.release()
    }

    /// Removes a partition that is no longer being read.
    func remove(_ partition: KafkaTopicPartition) {
        end(partition)
        state.withLock { _ = $0.backlogs.remove(partition) }
    }

    /// Returns whether a turn was acquired within the maximum wait.
    private func waitForTurn(_ partition: any WorkerPartition) async -> Bool {
        if permits.acquireNow() { return true }
        return await withTaskGroup(of: Bool.self) { group in
            group.addTask { await self.permits.acquire() }
            group.addTask {
                _ = await partition.pause(for: Self.longestWait)
                return false
            }
            var isAcquired = await group.next() ?? false
            group.cancelAll()
            for await result in group where result { isAcquired = true }
            return isAcquired
        }
    }
}
