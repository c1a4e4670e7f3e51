internal import CRdKafka

/// The version of librdkafka that the process runs with, such as `2.0.2`.
public var librdkafkaVersion: String { String(cString: rd_kafka_version_str()) }

/// The version as a number that grows: two hexadecimal digits each for major, minor, revision and stage.
var librdkafkaVersionNumber: Int32 { rd_kafka_version() }

/// Whether SCRAM of this librdkafka is refused by Kafka 4 and later: before 2.6.1 it repeats its nonce (its issue 4895).
public var repeatsScramNonces: Bool { librdkafkaVersionNumber < KafkaTrouble.firstWithFreshNonces }
