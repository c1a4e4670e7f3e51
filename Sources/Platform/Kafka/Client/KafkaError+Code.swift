internal import CRdKafka

extension KafkaError {
    /// The kind of error: a broker's code (1 and above; Kafka protocol, "Error Codes"), one of librdkafka's own codes
    /// (-200 to -100), or one of this library's codes (-1000 and below). Unknown codes are preserved.
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The numeric code.
        public let rawValue: Int32

        /// Creates the code with this number.
        public init(rawValue: Int32) { self.rawValue = rawValue }

        // This library's codes.

        /// The caller's deadline passed before the delivery report arrived.
        public static let deadlineExceeded = Code(rawValue: -1001)
        /// The client is closed or is being closed.
        public static let closed = Code(rawValue: -1002)
        /// This library sets the configuration property itself, or librdkafka rejects it.
        public static let invalidConfiguration = Code(rawValue: -1003)
        /// The number or size of the records in flight exceeds the producer's limit.
        public static let tooManyInFlight = Code(rawValue: -1004)
        /// The producer was not created with this topic.
        public static let undeclaredTopic = Code(rawValue: -1005)
        /// No broker answers at the moment. The send was rejected immediately.
        public static let brokersUnavailable = Code(rawValue: -1006)
        /// While the record was in flight, the producer had a fatal error and was replaced.
        public static let producerReplaced = Code(rawValue: -1007)
        /// The embedded broker does not support this operation.
        public static let notOnEmbeddedBroker = Code(rawValue: -1008)
        /// One of the embedded broker's ports is in use.
        public static let portInUse = Code(rawValue: -1009)
        /// The record cannot be sent in this form.
        public static let invalidRecord = Code(rawValue: -1010)
        /// Earlier records for this partition have been waiting too long. The send was rejected immediately.
        public static let partitionSlow = Code(rawValue: -1011)

        // librdkafka's codes.

        /// A batch in the log does not match its checksum.
        public static let badMessage = Code(rawValue: -199)
        /// A batch in the log cannot be decompressed.
        public static let badCompression = Code(rawValue: -198)
        /// A batch in the log has a format or compression that librdkafka does not support.
        public static let notImplemented = Code(rawValue: -170)
        /// The connection broke.
        public static let transport = Code(rawValue: -195)
        /// A broker's name cannot be resolved.
        public static let resolve = Code(rawValue: -193)
        /// The record was not acknowledged within `delivery.timeout.ms`.
        public static let messageTimedOut = Code(rawValue: -192)
        /// The end of a partition was reached. This is not an error.
        public static let partitionEOF = Code(rawValue: -191)
        /// The partition does not exist or was never assigned.
        public static let unknownPartition = Code(rawValue: -190)
        /// The topic does not exist.
        public static let unknownTopic = Code(rawValue: -188)
        /// No broker is connected.
        public static let allBrokersDown = Code(rawValue: -187)
        /// librdkafka rejects an argument or a property.
        public static let invalidArgument = Code(rawValue: -186)
        /// A request was not answered in time.
        public static let timedOut = Code(rawValue: -185)
        /// librdkafka's queue is full.
        public static let queueFull = Code(rawValue: -184)
        /// The TLS handshake failed.
        public static let ssl = Code(rawValue: -181)
        /// The operation is not possible in the current state, for example because the partition is no longer assigned.
        public static let state = Code(rawValue: -172)
        /// Authentication failed.
        public static let authentication = Code(rawValue: -169)
        /// There is no offset to commit.
        public static let noOffset = Code(rawValue: -168)
        /// The broker lacks the feature.
        public static let unsupportedFeature = Code(rawValue: -165)
        /// The record was still queued when the producer was purged.
        public static let purgedFromQueue = Code(rawValue: -152)
        /// The record was in flight when the producer was purged.
        public static let purgedInFlight = Code(rawValue: -151)
        /// The client had a fatal error.
        public static let fatal = Code(rawValue: -150)
        /// The consumer was not polled for `max.poll.interval.ms`.
        public static let maxPollExceeded = Code(rawValue: -147)
        /// A newer member with the same instance id replaced this one.
        public static let fenced = Code(rawValue: -144)
        /// The partitions were lost, not revoked.
        public static let assignmentLost = Code(rawValue: -142)
        /// The position is no longer in the log, and resetting it is not allowed.
        public static let autoOffsetReset = Code(rawValue: -140)

        // Broker codes.

        /// The offset is not in the log.
        public static let offsetOutOfRange = Code(rawValue: 1)
        /// The topic or partition does not exist.
        public static let unknownTopicOrPartition = Code(rawValue: 3)
        /// The partition currently has no leader.
        public static let leaderNotAvailable = Code(rawValue: 5)
        /// Another broker is now the partition's leader.
        public static let notLeader = Code(rawValue: 6)
        /// The in-sync replicas did not acknowledge in time.
        public static let requestTimedOut = Code(rawValue: 7)
        /// The record is larger than the topic's `max.message.bytes`.
        public static let messageTooLarge = Code(rawValue: 10)
        /// The batch is larger than the topic's segment size.
        public static let recordListTooLarge = Code(rawValue: 18)
        /// There are fewer in-sync replicas than `min.insync.replicas`.
        public static let notEnoughReplicas = Code(rawValue: 19)
        /// The commit belongs to an older generation of the group.
        public static let illegalGeneration = Code(rawValue: 22)
        /// The member is no longer part of the group.
        public static let unknownMember = Code(rawValue: 25)
        /// The group is rebalancing.
        public static let rebalanceInProgress = Code(rawValue: 27)
        /// This user is not authorized to access the topic.
        public static let topicAuthorizationFailed = Code(rawValue: 29)
        /// This user is not authorized to access the group.
        public static let groupAuthorizationFailed = Code(rawValue: 30)
        /// This user is not authorized to access the cluster.
        public static let clusterAuthorizationFailed = Code(rawValue: 31)
        /// The record's timestamp is outside the range set by the topic's `message.timestamp.before.max.ms` and
        /// `.after.max.ms`.
        public static let invalidTimestamp = Code(rawValue: 32)
        /// The topic already exists.
        public static let topicAlreadyExists = Code(rawValue: 36)
        /// The replication factor exceeds the number of brokers.
        public static let invalidReplicationFactor = Code(rawValue: 38)
        /// The brokers reject a topic setting.
        public static let invalidTopicSetting = Code(rawValue: 40)
        /// The request violates the cluster's policy for new topics.
        public static let policyViolation = Code(rawValue: 44)
        /// A broker detected a gap in the sequence of an idempotent producer's records.
        public static let outOfOrderSequence = Code(rawValue: 45)
        /// A newer member with the same instance id replaced this one.
        public static let fencedInstance = Code(rawValue: 82)

        /// The broker rejected the record, for example one without a key in a compacted topic (`INVALID_RECORD`).
        public static let recordRejected = Code(rawValue: 87)

        /// Whether the brokers rejected the record because of its size.
        public var isTooLarge: Bool { self == .messageTooLarge || self == .recordListTooLarge }

        /// Whether the record was rejected because of its content. If so, every attempt fails until a topic setting
        /// changes. Brokers reject whole batches, so the cause may be another record in the batch.
        public var isRefusal: Bool {
            isTooLarge || [.invalidTimestamp, .recordRejected, .invalidRecord].contains(self)
        }

        /// Whether data in the partition is unreadable. librdkafka may continue reading after the damaged data.
        var isDamage: Bool {
            [.badMessage, .badCompression, .notImplemented, .messageTooLarge].contains(self)
        }

        public var description: String { name }

        /// librdkafka's name for the code, or this library's own.
        var name: String {
            if let own = Self.ownNames[self] { return own }
            return String(cString: rd_kafka_err2name(rd_kafka_resp_err_t(rawValue: rawValue)))
        }

        /// Whether an identical request may succeed later.
        var isTransient: Bool { Self.transient.contains(rawValue) }

        private static let ownNames: [Code: String] = [
            .deadlineExceeded: "DEADLINE_EXCEEDED",
            .closed: "CLOSED",
            .invalidConfiguration: "INVALID_CONFIGURATION",
            .tooManyInFlight: "TOO_MANY_IN_FLIGHT",
            .undeclaredTopic: "UNDECLARED_TOPIC",
            .brokersUnavailable: "BROKERS_UNAVAILABLE",
            .producerReplaced: "PRODUCER_REPLACED",
            .notOnEmbeddedBroker: "NOT_ON_EMBEDDED_BROKER",
            .portInUse: "PORT_IN_USE",
            .invalidRecord: "INVALID_RECORD",
            .partitionSlow: "PARTITION_SLOW",
        ]

        private static let transient: Set<Int32> = [
            // This library: deadline, in flight, brokers unavailable, producer replaced, partition slow.
            -1001, -1004, -1006, -1007, -1011,
            // librdkafka: transport, resolve, timed out, brokers down, queue full, coordinator, in progress, purged.
            -195, -193, -192, -187, -185, -184, -183, -180, -178, -177, -166, -164, -163, -153, -152, -151,
            // Brokers: codes that the protocol's table calls retriable, and codes for a coordinator or group in
            // transition.
            2, 3, 5, 6, 7, 8, 9, 13, 14, 15, 16, 19, 20, 27, 41, 51, 56, 59, 70, 71, 72, 74, 75, 78, 80, 83, 88, 89,
        ]
    }
}
