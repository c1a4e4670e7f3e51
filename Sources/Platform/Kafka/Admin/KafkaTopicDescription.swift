/// What the brokers say about a topic.
public struct KafkaTopicDescription: Hashable, Sendable {
    /// One partition.
    public struct Partition: Hashable, Sendable {
        /// Its number.
        public let partition: KafkaPartition
        /// The id of the broker that leads it; `nil` when there is none.
        public let leader: Int32?
        /// The ids of the brokers that should hold it.
        public let replicas: [Int32]
        /// The ids of those that hold everything.
        public let inSyncReplicas: [Int32]

        /// A partition with these properties.
        public init(partition: KafkaPartition, leader: Int32?, replicas: [Int32], inSyncReplicas: [Int32]) {
            self.partition = partition
            self.leader = leader
            self.replicas = replicas
            self.inSyncReplicas = inSyncReplicas
        }
    }

    /// Its name.
    public let topic: KafkaTopic
    /// Its partitions in order.
    public let partitions: [Partition]
    /// Its settings, those by default too, without sensitive ones; `nil` on the embedded broker, which has none.
    public let configuration: [String: String]?

    /// A description with these properties.
    public init(topic: KafkaTopic, partitions: [Partition], configuration: [String: String]?) {
        self.topic = topic
        self.partitions = partitions
        self.configuration = configuration
    }

    /// The smallest number of replicas that a partition has.
    public var replicationFactor: Int { partitions.map(\.replicas.count).min() ?? 0 }
}
