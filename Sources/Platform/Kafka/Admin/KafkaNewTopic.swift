internal import CRdKafka

/// A topic to create.
public struct KafkaNewTopic: Hashable, Sendable {
    /// The topic's name.
    public let topic: KafkaTopic
    /// The number of partitions. Do not change it later if records have keys.
    public let partitions: Int
    /// The number of replicas; -1 means the cluster's default.
    public let replicationFactor: Int
    /// Topic settings such as `cleanup.policy`.
    public let configuration: [String: String]

    /// Creates a description with these properties.
    public init(topic: KafkaTopic, partitions: Int, replicationFactor: Int, configuration: [String: String] = [:]) {
        self.topic = topic
        self.partitions = partitions
        self.replicationFactor = replicationFactor
        self.configuration = configuration
    }
}

extension KafkaNewTopic {
    /// Creates an `rd_kafka_NewTopic_t` that the caller owns.
    func makePointer() throws(KafkaError) -> OpaquePointer {
        var text = [CChar](repeating: 0, count: 256)
        guard
            let pointer = rd_kafka_NewTopic_new(
                topic.rawValue, Int32(clamping: partitions), Int32(clamping: replicationFactor), &text, text.count)
        else { throw KafkaError(.invalidArgument, "create \(topic): \(String(terminated: text))") }
        for (name, value) in configuration {
            let code = rd_kafka_NewTopic_set_config(pointer, name, value)
            guard code == RD_KAFKA_RESP_ERR_NO_ERROR else {
                rd_kafka_NewTopic_destroy(pointer)
                throw KafkaError(code, during: "create \(topic): \(name)")
            }
        }
        return pointer
    }
}
