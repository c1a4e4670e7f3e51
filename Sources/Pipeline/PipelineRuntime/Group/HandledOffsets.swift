public import Kafka
internal import Synchronization

/// How far this member has handled its partitions: offsets up to which every record is finished, whether or not they are
/// committed yet.
///
/// A group's committed offsets are behind by up to the commit interval, and after an outage for as long as the group has
/// no assignment. What was handled has had its effect all the same.
public final class HandledOffsets: Sendable {
    private let next = Mutex<[KafkaTopicPartition: Int64]>([:])

    package init() {}

    /// Everything before `next` is finished.
    package func finished(before next: KafkaOffset, of partition: KafkaTopicPartition) {
        self.next.withLock { $0[partition] = max($0[partition] ?? 0, next.rawValue) }
    }

    /// The offset before which everything is finished, of a partition that this member has had; nil for another one.
    public func next(of partition: KafkaTopicPartition) -> KafkaOffset? {
        next.withLock { $0[partition] }.map { KafkaOffset(rawValue: $0) }
    }
}
