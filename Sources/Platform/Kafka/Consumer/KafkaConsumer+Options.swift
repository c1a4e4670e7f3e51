extension KafkaConsumer {
    /// The partitions that a consumer reads.
    public enum Source: Sendable {
        /// Partitions assigned by the group. Each is read from its committed offset, or from its beginning if there is
        /// none.
        case group(KafkaConsumerGroup, topics: [KafkaTopic])
        /// The given partitions from the given offsets (`.beginning` and `.end` are supported), without a group:
        /// nothing is committed, and reaching the end of a partition is reported.
        case partitions([KafkaTopicPartition: KafkaOffset])
    }

    /// How a consumer reacts if the broker no longer has the next offset.
    public enum OutOfRange: Sendable {
        /// The partition becomes inactive, nothing is stored, and `KafkaConsumerEvent.offsetOutOfRange` is reported.
        case stop
        /// Reading continues at the oldest record and `KafkaConsumerEvent.offsetReset` is reported. Intended for the
        /// embedded broker, which keeps only 5 MiB per partition.
        case resetToBeginning
    }

    /// Settings of a consumer that are not librdkafka properties.
    public struct Options: Sendable {
        /// How to react to an offset that is out of range.
        public var outOfRange: OutOfRange = .stop
        /// Static member id (`group.instance.id`): a member that returns with the same id within the session timeout
        /// keeps its partitions without a rebalance.
        public var groupInstanceId: String?
        /// Limits on records fetched before the owners of the partitions read them.
        public var prefetch = KafkaPrefetch()
        /// Maximum time for a revoked partition's owner to release it; must be well below `max.poll.interval.ms`.
        public var drainLimit: Duration = .seconds(10)
        /// Maximum time for a synchronous commit when partitions are revoked.
        public var commitLimit: Duration = .seconds(5)

        /// Creates the default options.
        public init() {}
    }
}
