public import Kafka
internal import Synchronization

/// The offsets up to which this member has finished every record of its partitions, whether or not they are committed
/// yet.
///
/// A group's committed offsets lag behind by up to the commit interval, and after an outage for as long as the group
/// has no assignment. The effects of handled records are durable regardless.
public final class HandledOffsets: Sendable {
    private let next = Mutex<[KafkaTopicPartition: Int64]>([:])

    package init() {}

    /// Sets the offset before which every record is finished.
    package func finished(before next: KafkaOffset, of partition: KafkaTopicPartition) {
        self.next.withLock { $0[partition] = max($0[partition] ?? 0, next.rawValue) }
    }

    /// Returns the offset before which every record is finished; nil if this member never owned the partition.
    public func next(of partition: KafkaTopicPartition) -> KafkaOffset? {
        next.withLock { $0[partition] }.map { KafkaOffset(rawValue: $0) }
    }
}
