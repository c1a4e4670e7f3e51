extension KafkaConsumer {
    /// The partitions a consumer reads.
    public enum Source: Sendable {
        /// Partitions assigned by the group, each from its committed offset or otherwise from its beginning.
        case group(KafkaConsumerGroup, topics: [KafkaTopic])
        /// The given partitions from the given offsets (`.beginning` and `.end` are supported), without a group:
        /// nothing is committed, and the end of a partition is reported.
        case partitions([KafkaTopicPartition: KafkaOffset])
    }

    /// The reaction to a next offset that the broker no longer has.
    public enum OutOfRange: Sendable {
        /// The partition becomes inactive, nothing is stored, and `KafkaConsumerEvent.offsetOutOfRange` is reported.
        case stop
        /// Reading continues at the oldest record and `KafkaConsumerEvent.offsetReset` is reported. For the embedded
        /// broker, which keeps 5 MiB per partition.
        case resetToBeginning
    }

    /// Consumer behaviour beyond librdkafka's properties.
    public struct Options: Sendable {
        /// The reaction to an offset that is out of range.
        public var outOfRange: OutOfRange = .stop
        /// Static member id (`group.instance.id`): a member that returns with it within the session timeout keeps its
        /// partitions, without a rebalance.
        public var groupInstanceId: String?
        /// Limits for records fetched ahead of the partitions' owners.
        public var prefetch = KafkaPrefetch()
        /// Maximum time for a revoked partition's owner to release it; must be well below `max.poll.interval.ms`.
        public var drainLimit: Duration = .seconds(10)
        /// Maximum time for a synchronous commit when partitions are revoked.
        public var commitLimit: Duration = .seconds(5)

        /// Creates the default options.
        public init() {}
    }
}
