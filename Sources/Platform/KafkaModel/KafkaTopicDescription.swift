/// A topic, as described by the brokers.
public struct KafkaTopicDescription: Hashable, Sendable {
    /// One partition of the topic.
    public struct Partition: Hashable, Sendable {
        /// The partition number.
        public let partition: KafkaPartition
        /// The leader's broker id, or nil if there is no leader.
        public let leader: Int32?
        /// The ids of the brokers with a replica of the partition.
        public let replicas: [Int32]
        /// The ids of the brokers with an in-sync replica.
        public let inSyncReplicas: [Int32]

        /// Creates a partition with these properties.
        public init(partition: KafkaPartition, leader: Int32?, replicas: [Int32], inSyncReplicas: [Int32]) {
            self.partition = partition
            self.leader = leader
            self.replicas = replicas
            self.inSyncReplicas = inSyncReplicas
        }
    }

    /// The topic's name.
    public let topic: KafkaTopic
    /// The topic's partitions, ordered by number.
    public let partitions: [Partition]
    /// The topic's settings, including defaults but not sensitive values. Nil if the settings were not requested or
    /// this user may not read them, and on the embedded broker, which has no settings.
    public let configuration: [String: String]?

    /// Creates a description with these properties.
    public init(topic: KafkaTopic, partitions: [Partition], configuration: [String: String]?) {
        self.topic = topic
        self.partitions = partitions
        self.configuration = configuration
    }

    /// The smallest number of replicas among the partitions.
    public var replicationFactor: Int { partitions.map(\.replicas.count).min() ?? 0 }
}
