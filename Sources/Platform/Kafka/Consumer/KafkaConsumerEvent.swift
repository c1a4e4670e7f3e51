/// What a consumer reports, on its own queue: the receiver must not block.
public enum KafkaConsumerEvent: Sendable {
    /// Partitions were given to this member and are about to be fetched. Their owner reads each with
    /// ``KafkaAssignedPartition/next(maxRecords:maxBytes:)`` until it returns nil and then calls
    /// ``KafkaAssignedPartition/release()``.
    case assigned([KafkaAssignedPartition])
    /// Partitions are being revoked: their `next` returns nil now, and the group waits until each is released or the
    /// drain limit is over.
    case revoking([KafkaAssignedPartition])
    /// Partitions belong to another member already: work on them is to be dropped, nothing of it is committed.
    case lost([KafkaAssignedPartition])
    /// The drain limit was over before these partitions were released; they are revoked all the same.
    case drainLimitExceeded([KafkaAssignedPartition])
    /// The broker no longer has the next offset of this partition: nothing more of it is read.
    case offsetOutOfRange(KafkaTopicPartition, KafkaOffset)
    /// What the log of this partition holds at or behind this offset cannot be read: a wrong checksum, a compression or a
    /// format that is not known, a record too large to fetch. What was read before it can be finished and stored; nothing
    /// more is read, and its `next` returns nil.
    case damaged(KafkaTopicPartition, KafkaOffset, KafkaError)
    /// A partition jumped (``KafkaConsumer/OutOfRange/resetToBeginning``): from the expected offset to the one found.
    case offsetReset(KafkaTopicPartition, expected: KafkaOffset, found: KafkaOffset)
    /// A commit was refused. The offsets stay stored and are committed again by the interval where that is possible.
    case commitFailed(KafkaError)
    /// librdkafka reports an error from which it recovers by itself (a broker is down, a topic is not known, …).
    case error(KafkaError)
    /// The client is dead (a fenced static member, for example): close it and end the process or build another.
    case fatal(KafkaError)
    /// Statistics once per `statistics.interval.ms`; `partitions` holds only those that are assigned.
    case statistics(KafkaStatistics)
    /// A log line of librdkafka.
    case log(KafkaLogLine)
}
