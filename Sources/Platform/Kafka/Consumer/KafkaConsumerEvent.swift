/// An event of a consumer, delivered on its own queue: the receiver must not block.
public enum KafkaConsumerEvent: Sendable {
    /// Partitions were assigned to this member and are about to be fetched. The owner of each reads it with
    /// ``KafkaAssignedPartition/next(maxRecords:maxBytes:)`` until it returns nil and then calls
    /// ``KafkaAssignedPartition/release()``.
    case assigned([KafkaAssignedPartition])
    /// Partitions are being revoked: their `next` now returns nil, and the group waits until each is released or the
    /// drain limit expires.
    case revoking([KafkaAssignedPartition])
    /// Partitions already belong to another member: drop the work on them, because none of it will be committed.
    case lost([KafkaAssignedPartition])
    /// The drain limit expired before these partitions were released; they are revoked anyway.
    case drainLimitExceeded([KafkaAssignedPartition])
    /// The broker no longer has the next offset of this partition, so reading it stops.
    case offsetOutOfRange(KafkaTopicPartition, KafkaOffset)
    /// The log of this partition is unreadable at or after this offset, because of a wrong checksum, an unknown
    /// compression or format, or a record too large to fetch. Records read before the error can be finished and stored;
    /// reading stops, and `next` returns nil.
    case damaged(KafkaTopicPartition, KafkaOffset, KafkaError)
    /// Reading of a partition jumped from the expected offset to the actual one
    /// (``KafkaConsumer/OutOfRange/resetToBeginning``).
    case offsetReset(KafkaTopicPartition, expected: KafkaOffset, found: KafkaOffset)
    /// A commit was rejected. The offsets stay stored, and the next periodic commit retries them where possible.
    case commitFailed(KafkaError)
    /// An error from which librdkafka recovers on its own (a broker is down, a topic is unknown, …).
    case error(KafkaError)
    /// The client failed fatally (e.g. a fenced static member): close it, then end the process or create another
    /// consumer.
    case fatal(KafkaError)
    /// Statistics, reported every `statistics.interval.ms`; `partitions` contains only assigned ones.
    case statistics(KafkaStatistics)
    /// A log line of librdkafka.
    case log(KafkaLogLine)
}
