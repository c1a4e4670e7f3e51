internal import FoundationEssentials

/// The librdkafka statistics that this library uses (see STATISTICS.md), reported every `statistics.interval.ms`.
public struct KafkaStatistics: Hashable, Sendable {
    /// One broker connection.
    public struct Broker: Hashable, Sendable {
        /// The broker's name in the form `host:port/id`.
        public let name: String
        /// The broker's id, or -1 for a bootstrap server with an unknown id.
        public let nodeId: Int32
        /// Whether the connection is up.
        public let isUp: Bool
    }

    /// A partition known to the client.
    public struct Partition: Hashable, Sendable {
        /// The topic and partition.
        public let topicPartition: KafkaTopicPartition
        /// The number of records that the client has fetched but the consumer has not read yet.
        public let fetchQueueCount: Int64
        /// The oldest offset in the log, or nil if unknown.
        public let lowOffset: Int64?
        /// The offset after the newest record, or nil if unknown.
        public let highOffset: Int64?
        /// The number of records after the committed offset, or nil before the first commit.
        public let consumerLag: Int64?
        /// The number of records after the stored offset, or nil if unknown.
        public let consumerLagStored: Int64?
        /// The committed offset, which is the next one to read, or nil before the first commit.
        public let committedOffset: Int64?
    }

    /// The client's name, such as `rdkafka#producer-1`.
    public let client: String
    /// The number of records in the producer's queues and requests.
    public let messageCount: Int64
    /// The size in bytes of the records in the producer's queues and requests.
    public let messageBytes: Int64
    /// The number of events waiting to be polled.
    public let eventQueueCount: Int64
    /// All broker connections.
    public let brokers: [Broker]
    /// All partitions, ordered by topic and number.
    public let partitions: [Partition]

    /// The number of connected brokers.
    public var brokersUp: Int { brokers.count { $0.isUp } }
}

extension KafkaStatistics {
    /// Parses librdkafka's JSON. Returns nil if it does not match STATISTICS.md.
    init?(json: String) {
        guard let document = try? JSONDecoder().decode(Document.self, from: Data(json.utf8)) else { return nil }
        client = document.name ?? ""
        messageCount = document.msg_cnt ?? 0
        messageBytes = document.msg_size ?? 0
        eventQueueCount = document.replyq ?? 0
        // "internal" and "logical" entries are not brokers.
        brokers = (document.brokers ?? [:]).values
            .filter { $0.source == "learned" || $0.source == "configured" }
            .map { Broker(name: $0.name ?? "", nodeId: $0.nodeid ?? -1, isUp: $0.state == "UP") }
            .sorted { $0.name < $1.name }
        partitions = (document.topics ?? [:])
            .sorted { $0.key < $1.key }
            .flatMap { name, topic in
                (topic.partitions ?? [:]).values
                    .filter { ($0.partition ?? -1) >= 0 }
                    .sorted { ($0.partition ?? 0) < ($1.partition ?? 0) }
                    .map { Partition($0, topic: KafkaTopic(rawValue: name)) }
            }
    }

    /// Property names match librdkafka's JSON.
    fileprivate struct Document: Decodable {
        var name: String?
        var msg_cnt: Int64?
        var msg_size: Int64?
        var replyq: Int64?
        var brokers: [String: DocumentBroker]?
        var topics: [String: DocumentTopic]?
    }

    fileprivate struct DocumentBroker: Decodable {
        var name: String?
        var nodeid: Int32?
        var state: String?
        var source: String?
    }

    fileprivate struct DocumentTopic: Decodable {
        var partitions: [String: DocumentPartition]?
    }

    fileprivate struct DocumentPartition: Decodable {
        var partition: Int32?
        var fetchq_cnt: Int64?
        var lo_offset: Int64?
        var hi_offset: Int64?
        var consumer_lag: Int64?
        var consumer_lag_stored: Int64?
        var committed_offset: Int64?
    }
}

extension KafkaStatistics.Partition {
    fileprivate init(_ partition: KafkaStatistics.DocumentPartition, topic: KafkaTopic) {
        /// Maps librdkafka's negative numbers, which mean "unknown", to nil.
        func known(_ value: Int64?) -> Int64? { value.flatMap { $0 < 0 ? nil : $0 } }
        topicPartition = KafkaTopicPartition(
            topic: topic, partition: KafkaPartition(rawValue: partition.partition ?? 0))
        fetchQueueCount = partition.fetchq_cnt ?? 0
        lowOffset = known(partition.lo_offset)
        highOffset = known(partition.hi_offset)
        consumerLag = known(partition.consumer_lag)
        consumerLagStored = known(partition.consumer_lag_stored)
        committedOffset = known(partition.committed_offset)
    }
}
