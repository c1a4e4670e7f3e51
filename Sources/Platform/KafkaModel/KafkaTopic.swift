/// The name of a topic.
public struct KafkaTopic: RawRepresentable, Hashable, Sendable, CustomStringConvertible, ExpressibleByStringLiteral {
    /// The name as brokers know it.
    public let rawValue: String

    /// A topic of this name; whether it exists is known only to the brokers.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A topic of this name, for names that are literals.
    public init(stringLiteral value: String) { self.rawValue = value }

    public var description: String { rawValue }

    /// Where a consumer group puts the records of this topic that it cannot handle: `<topic>.<group>.dlq`.
    public func deadLetters(of group: String) -> KafkaTopic { KafkaTopic(rawValue: "\(rawValue).\(group).dlq") }
}

/// The number of a partition inside its topic, from 0.
public struct KafkaPartition: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible,
    ExpressibleByIntegerLiteral
{
    /// The number; negative values are not partitions.
    public let rawValue: Int32

    /// The partition of this number.
    public init(rawValue: Int32) { self.rawValue = rawValue }

    /// The partition of this number, for numbers that are literals.
    public init(integerLiteral value: Int32) { self.rawValue = value }

    public static func < (left: KafkaPartition, right: KafkaPartition) -> Bool { left.rawValue < right.rawValue }

    public var description: String { String(rawValue) }
}

/// The position of a record inside its partition, from 0. A committed offset is the *next* one to read.
public struct KafkaOffset: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible,
    ExpressibleByIntegerLiteral
{
    /// The position; librdkafka's negative logical offsets are the static members.
    public let rawValue: Int64

    /// The offset of this position.
    public init(rawValue: Int64) { self.rawValue = rawValue }

    /// The offset of this position, for positions that are literals.
    public init(integerLiteral value: Int64) { self.rawValue = value }

    /// The oldest record that the partition still has (`RD_KAFKA_OFFSET_BEGINNING`).
    public static let beginning = KafkaOffset(rawValue: -2)
    /// After the newest record (`RD_KAFKA_OFFSET_END`).
    public static let end = KafkaOffset(rawValue: -1)
    /// The group's committed offset (`RD_KAFKA_OFFSET_STORED`).
    public static let stored = KafkaOffset(rawValue: -1000)
    /// No offset (`RD_KAFKA_OFFSET_INVALID`): nothing was committed.
    public static let none = KafkaOffset(rawValue: -1001)

    public static func < (left: KafkaOffset, right: KafkaOffset) -> Bool { left.rawValue < right.rawValue }

    public var description: String { String(rawValue) }
}

/// One partition of one topic.
public struct KafkaTopicPartition: Hashable, Sendable, CustomStringConvertible {
    /// The topic.
    public let topic: KafkaTopic
    /// The partition inside the topic.
    public let partition: KafkaPartition

    /// This partition of this topic.
    public init(topic: KafkaTopic, partition: KafkaPartition) {
        self.topic = topic
        self.partition = partition
    }

    /// `topic[partition]`, as Kafka's own tools print it.
    public var description: String { "\(topic)[\(partition)]" }
}
