internal import CRdKafka
public import Kafka
internal import Primitives

/// Fault injection for tests. The mock cluster does not deduplicate, so producer tests must set
/// `max.in.flight.requests.per.connection=1`. With a higher limit, a rejected batch is reported as stored if a later
/// one was accepted.
extension DevBroker {
    /// A request type, identified by its number in Kafka's protocol.
    public struct Request: RawRepresentable, Hashable, Sendable {
        /// The API key.
        public let rawValue: Int16
        /// Creates the request type with this API key.
        public init(rawValue: Int16) { self.rawValue = rawValue }

        /// Writes records.
        public static let produce = Request(rawValue: 0)
        /// Reads records.
        public static let fetch = Request(rawValue: 1)
        /// Requests topic and broker metadata.
        public static let metadata = Request(rawValue: 3)
        /// Commits offsets.
        public static let offsetCommit = Request(rawValue: 8)
        /// Reads committed offsets.
        public static let offsetFetch = Request(rawValue: 9)
        /// Finds a group's coordinator.
        public static let findCoordinator = Request(rawValue: 10)
        /// Joins a group.
        public static let joinGroup = Request(rawValue: 11)
        /// Confirms that a group member is alive.
        public static let heartbeat = Request(rawValue: 12)
        /// Initializes an idempotent producer.
        public static let initProducerId = Request(rawValue: 22)
    }

    /// Makes brokers answer the next requests of this type with these error codes, one per request. `transport` closes
    /// the connection instead.
    public func failNext(_ request: Request, with codes: [KafkaError.Code]) throws(KafkaError) {
        let errors = codes.map { rd_kafka_resp_err_t(rawValue: $0.rawValue) }
        try call("inject errors") { cluster in
            rd_kafka_mock_push_request_errors_array(cluster, request.rawValue, errors.count, errors)
            return RD_KAFKA_RESP_ERR_NO_ERROR
        }
    }

    /// Removes injected errors for requests of this type that have not been returned yet.
    public func clearFailures(_ request: Request) throws(KafkaError) {
        try call("clear errors") { cluster in
            rd_kafka_mock_clear_request_errors(cluster, request.rawValue)
            return RD_KAFKA_RESP_ERR_NO_ERROR
        }
    }

    /// Closes all connections to a broker (or to all brokers if `broker` is nil) and stops accepting new ones. Leaders
    /// do not change.
    public func setDown(broker: Int32? = nil) throws(KafkaError) {
        try call("stop broker") { rd_kafka_mock_broker_set_down($0, broker ?? -1) }
    }

    /// Resumes accepting connections to a broker (or to all brokers if `broker` is nil).
    public func setUp(broker: Int32? = nil) throws(KafkaError) {
        try call("start broker") { rd_kafka_mock_broker_set_up($0, broker ?? -1) }
    }

    /// Delays every response from a broker (or from all brokers if `broker` is nil) by this time, in whole
    /// milliseconds.
    public func setRoundTripTime(_ time: Duration, broker: Int32? = nil) throws(KafkaError) {
        try call("set round trip time") {
            rd_kafka_mock_broker_set_rtt($0, broker ?? -1, Int32(clamping: time.clampedMilliseconds))
        }
    }

    /// Makes a broker the leader of a partition, or removes the leader if `broker` is nil.
    public func setLeader(of partition: KafkaTopicPartition, to broker: Int32?) throws(KafkaError) {
        try call("move leader") {
            rd_kafka_mock_partition_set_leader($0, partition.topic.rawValue, partition.partition.rawValue, broker ?? -1)
        }
    }
}
