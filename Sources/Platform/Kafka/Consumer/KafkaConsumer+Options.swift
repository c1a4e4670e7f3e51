extension KafkaConsumer {
    /// The partitions that a consumer reads.
    public enum Source: Sendable {
        /// Partitions assigned by the group. Each is read from its committed offset, or from its beginning if there is
        /// none.
        case group(KafkaConsumerGroup, topics: [KafkaTopic])
        /// The given partitions from the given offsets (`.beginning` and `.end` are supported), without a group.
        /// Nothing is committed, and the end of a partition is reported.
        case partitions([KafkaTopicPartition: KafkaOffset])
    }

    /// The behavior if the broker no longer has the next offset.
    public enum OutOfRange: Sendable {
        /// The partition becomes inactive, nothing is stored, and `KafkaConsumerEvent.offsetOutOfRange` is reported.
        case stop
        /// Reading continues at the oldest record, and `KafkaConsumerEvent.offsetReset` is reported. Intended for the
        /// embedded broker, which stores only 5 MiB per partition.
        case resetToBeginning
    }

    /// Consumer options that are not librdkafka properties.
    public struct Options: Sendable {
        /// How to handle an offset that is out of range.
        public var outOfRange: OutOfRange = .stop
        /// The static member id (`group.instance.id`). A member that returns with the same id within the session
        /// timeout keeps its partitions without a rebalance.
        public var groupInstanceId: String?
        /// Limits on fetched records that the partitions' owners have not read yet.
        public var prefetch = KafkaPrefetch()
        /// The maximum time for the owner of a revoked partition to release it; must be well below
        /// `max.poll.interval.ms`.
        public var drainLimit: Duration = .seconds(10)
        /// The maximum time for a synchronous commit when partitions are revoked.
        public var commitLimit: Duration = .seconds(5)
        /// Selects the records to read; nil means all. The position advances past the other records.
        package var filter: KafkaRecordFilter?
        /// Whether a partition becomes inactive if this user may not read it. If false, reading continues once the
        /// brokers allow it.
        package var stopsIfDenied = false

        /// Creates the default options.
        public init() {}
    }
}
