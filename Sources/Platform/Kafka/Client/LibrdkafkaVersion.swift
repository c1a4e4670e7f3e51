internal import CRdKafka

/// The version of librdkafka that the process runs with, such as `2.0.2`.
public var librdkafkaVersion: String { String(cString: rd_kafka_version_str()) }
