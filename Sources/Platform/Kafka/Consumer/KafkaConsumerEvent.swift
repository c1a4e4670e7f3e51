/// A consumer event, delivered on the consumer's queue. The receiver must not block.
public enum KafkaConsumerEvent: Sendable {
    /// Partitions were assigned to this member, and fetching is about to start. The owner of each partition calls
    /// ``KafkaAssignedPartition/next(maxRecords:maxBytes:within:)`` until it returns nil, and then
    /// ``KafkaAssignedPartition/release()``. The list is empty if the first assignment of a member has no partition,
    /// because the group has more members than partitions or a partition is still being revoked from another member.
    case assigned([KafkaAssignedPartition])
    /// Partitions are being revoked. Their `next` now returns nil, and the group waits until each is released or the
    /// drain limit expires.
    case revoking([KafkaAssignedPartition])
    /// Partitions already belong to another member. Stop work on them, because it will not be committed.
    case lost([KafkaAssignedPartition])
    /// The drain limit expired before these partitions were released, so they are revoked anyway.
    case drainLimitExceeded([KafkaAssignedPartition])
    /// The broker no longer has the next offset of this partition, so reading stops.
    case offsetOutOfRange(KafkaTopicPartition, KafkaOffset)
    /// The log of this partition is unreadable at or after this offset because of a bad checksum, an unknown
    /// compression type or record format, or a record that is too large to fetch. Records read earlier can still be
    /// processed and their offsets stored. Reading stops, and `next` returns nil.
    case damaged(KafkaTopicPartition, KafkaOffset, KafkaError)
    /// Reading jumped from the expected offset to the actual one (``KafkaConsumer/OutOfRange/resetToBeginning``).
    case offsetReset(KafkaTopicPartition, expected: KafkaOffset, found: KafkaOffset)
    /// A commit failed. The offsets remain stored, and the next periodic commit includes them if possible.
    case commitFailed(KafkaError)
    /// An error from which librdkafka recovers on its own, such as an unavailable broker or an unknown topic.
    case error(KafkaError)
    /// The client had a fatal error, for example because a static member was fenced. Close the consumer, and then
    /// create a new consumer or end the process.
    case fatal(KafkaError)
    /// Statistics, reported every `statistics.interval.ms`. `partitions` contains only assigned partitions.
    case statistics(KafkaStatistics)
    /// A log line from librdkafka.
    case log(KafkaLogLine)
}
