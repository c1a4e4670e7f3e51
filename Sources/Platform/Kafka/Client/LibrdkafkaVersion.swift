internal import CRdKafka

/// The version of the loaded librdkafka, such as `2.0.2`.
public var librdkafkaVersion: String { String(cString: rd_kafka_version_str()) }

/// The version as a number that increases with each release: two hexadecimal digits each for major, minor, revision and
/// stage.
var librdkafkaVersionNumber: Int32 { rd_kafka_version() }

/// Whether Kafka 4 and later reject SCRAM authentication from this librdkafka: versions before 2.6.1 reuse the nonce
/// (librdkafka issue 4895).
public var repeatsScramNonces: Bool { librdkafkaVersionNumber < KafkaTrouble.firstWithFreshNonces }
