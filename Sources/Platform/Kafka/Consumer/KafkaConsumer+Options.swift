extension KafkaConsumer {
    /// What the consumer reads.
    public enum Source: Sendable {
        /// The partitions that the group gives to this member, each from its committed offset, else from its beginning.
        case group(KafkaConsumerGroup, topics: [KafkaTopic])
        /// These partitions from these offsets (`.beginning` and `.end` are understood), without a group: nothing is
        /// committed, and the end of a partition is reported.
        case partitions([KafkaTopicPartition: KafkaOffset])
    }

    /// What a partition does whose next offset the broker no longer has.
    public enum OutOfRange: Sendable {
        /// It is no longer active, nothing is stored, and `KafkaConsumerEvent.offsetOutOfRange` is reported.
        case stop
        /// It goes on at the oldest record and `KafkaConsumerEvent.offsetReset` is reported: for the embedded broker,
        /// which keeps 5 MiB a partition.
        case resetToBeginning
    }

    /// How the consumer behaves where librdkafka's properties do not say it.
    public struct Options: Sendable {
        /// What happens when an offset is out of range.
        public var outOfRange: OutOfRange = .stop
        /// `group.instance.id`: a member that comes back under this name within the session timeout keeps its
        /// partitions, and the group does not rebalance.
        public var groupInstanceId: String?
        /// How much is read ahead of the partitions' owners.
        public var prefetch = KafkaPrefetch()
        /// How long a partition that is revoked may take until its owner releases it; must be well below
        /// `max.poll.interval.ms`.
        public var drainLimit: Duration = .seconds(10)
        /// How long a synchronous commit may take when partitions are revoked.
        public var commitLimit: Duration = .seconds(5)

        /// The defaults.
        public init() {}
    }
}
