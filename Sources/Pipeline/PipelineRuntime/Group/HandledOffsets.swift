public import Kafka
internal import Synchronization

/// For each of this member's partitions, the offset before which all records have been handled, whether committed or
/// not.
///
/// Committed offsets lag behind by up to the commit interval, or longer if the group has no assignment after an outage.
/// The effects of handled records are durable regardless.
public final class HandledOffsets: Sendable {
    private let next = Mutex<[KafkaTopicPartition: Int64]>([:])

    package init() {}

    /// Sets the offset before which all records have been handled.
    package func finished(before next: KafkaOffset, of partition: KafkaTopicPartition) {
        self.next.withLock { $0[partition] = max($0[partition] ?? 0, next.rawValue) }
    }

    /// Returns the offset before which all records have been handled, or nil if this member has handled no record of
    /// the partition.
    public func next(of partition: KafkaTopicPartition) -> KafkaOffset? {
        next.withLock { $0[partition] }.map { KafkaOffset(rawValue: $0) }
    }
}
