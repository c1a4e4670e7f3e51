internal import Kafka
internal import Synchronization

/// How much each partition of a member may hand over at once: all of them that have more records waiting share one
/// amount, so that memory does not grow with their number.
final class BatchShare: Sendable {
    /// A smaller batch costs more than it saves.
    private static var minimumBytes: Int { 64 << 10 }

    private let total: Int
    private let waiting = Mutex<Set<KafkaTopicPartition>>([])

    /// - Parameter total: bytes of key, value and headers.
    init(total: Int) { self.total = max(1, total) }

    /// What the next batch of a partition may have, in bytes.
    func bytes(for partition: KafkaTopicPartition) -> Int {
        let sharers = waiting.withLock { $0.contains(partition) ? $0.count : $0.count + 1 }
        return min(total, max(Self.minimumBytes, total / sharers))
    }

    /// Notes whether a partition probably has more records than were read: true as well before the first are read.
    func note(_ partition: KafkaTopicPartition, hasMore: Bool) {
        waiting.withLock { waiting in
            if hasMore { waiting.insert(partition) } else { waiting.remove(partition) }
        }
    }
}
