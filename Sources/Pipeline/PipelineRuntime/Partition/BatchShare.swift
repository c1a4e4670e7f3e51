internal import Kafka
internal import Synchronization

/// How much each partition of a member may hand over at once: those that have a batch in work share one amount, so that
/// memory does not grow with their number.
final class BatchShare: Sendable {
    /// A smaller batch costs more than it saves. After a pause a partition begins with it: how many come with it is not
    /// known yet.
    private static var minimumBytes: Int { 64 << 10 }

    private struct State {
        /// Partitions with a batch in work.
        var working: Set<KafkaTopicPartition> = []
        /// Partitions whose last read brought all that it might.
        var full: Set<KafkaTopicPartition> = []
    }

    private let total: Int
    private let state = Mutex(State())

    /// - Parameter total: bytes of key, value and headers.
    init(total: Int) { self.total = max(1, total) }

    /// The last batch of a partition is done.
    ///
    /// - Returns: what its next one may have, in bytes.
    func next(of partition: KafkaTopicPartition) -> Int {
        state.withLock { state in
            state.working.remove(partition)
            let share = state.full.contains(partition) ? total / (state.working.count + 1) : 0
            return min(total, max(Self.minimumBytes, share))
        }
    }

    /// - Parameter isFull: the batch has all that it might have.
    func begin(_ partition: KafkaTopicPartition, isFull: Bool) {
        state.withLock { state in
            state.working.insert(partition)
            if isFull { state.full.insert(partition) } else { state.full.remove(partition) }
        }
    }

    /// The partition is not read any more.
    func end(_ partition: KafkaTopicPartition) {
        state.withLock { state in
            state.working.remove(partition)
            state.full.remove(partition)
        }
    }
}
