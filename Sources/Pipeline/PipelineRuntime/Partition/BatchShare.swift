internal import Kafka
internal import Synchronization

/// Limits the size of a member's batches. All partitions that are handling a batch share one byte limit, so memory use
/// does not depend on the number of partitions.
final class BatchShare: Sendable {
    /// The minimum batch size. Smaller batches cost more than they save. After a pause, a partition starts with this
    /// size because its record rate is unknown.
    private static var minimumBytes: Int { 64 << 10 }

    private struct State {
        /// Partitions that are handling a batch.
        var working: Set<KafkaTopicPartition> = []
        /// Partitions whose last batch reached its limit.
        var full: Set<KafkaTopicPartition> = []
    }

    private let total: Int
    private let state = Mutex(State())

    /// - Parameter total: the limit for all batches, in bytes of key, value and headers.
    init(total: Int) { self.total = max(1, total) }

    /// Ends the current batch of a partition.
    ///
    /// - Returns: the size limit for the partition's next batch, in bytes.
    func next(of partition: KafkaTopicPartition) -> Int {
        state.withLock { state in
            state.working.remove(partition)
            let share = state.full.contains(partition) ? total / (state.working.count + 1) : 0
            return min(total, max(Self.minimumBytes, share))
        }
    }

    /// - Parameter isFull: whether the batch reached its limit.
    func begin(_ partition: KafkaTopicPartition, isFull: Bool) {
        state.withLock { state in
            state.working.insert(partition)
            if isFull { state.full.insert(partition) } else { state.full.remove(partition) }
        }
    }

    /// Removes a partition that is no longer being read.
    func end(_ partition: KafkaTopicPartition) {
        state.withLock { state in
            state.working.remove(partition)
            state.full.remove(partition)
        }
    }
}
