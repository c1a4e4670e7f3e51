/// The name of a topic.
public struct KafkaTopic: RawRepresentable, Hashable, Sendable, CustomStringConvertible, ExpressibleByStringLiteral {
    /// The name used by brokers.
    public let rawValue: String

    /// Creates a topic name without checking whether the topic exists.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Creates a topic name from a literal.
    public init(stringLiteral value: String) { self.rawValue = value }

    public var description: String { rawValue }

    /// Returns this topic's dead letter topic for a consumer group: `<topic>.<group>.dlq`.
    public func deadLetters(of group: String) -> KafkaTopic { KafkaTopic(rawValue: "\(rawValue).\(group).dlq") }

    /// Returns whether the topic is any consumer group's dead letter topic for `input`.
    package func isDeadLetters(of input: KafkaTopic) -> Bool {
        rawValue.hasPrefix("\(input.rawValue).") && rawValue.hasSuffix(".dlq")
            && rawValue.utf8.count > input.rawValue.utf8.count + 1 + ".dlq".utf8.count
    }
}

/// The number of a partition within a topic, starting at 0.
public struct KafkaPartition: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible,
    ExpressibleByIntegerLiteral
{
    /// The number. A negative number is never a partition.
    public let rawValue: Int32

    /// Creates the partition with this number.
    public init(rawValue: Int32) { self.rawValue = rawValue }

    /// Creates a partition from a literal number.
    public init(integerLiteral value: Int32) { self.rawValue = value }

    public static func < (left: KafkaPartition, right: KafkaPartition) -> Bool { left.rawValue < right.rawValue }

    public var description: String { String(rawValue) }
}

/// The position of a record within a partition, starting at 0. A committed offset is the position of the *next* record
/// to read.
public struct KafkaOffset: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible,
    ExpressibleByIntegerLiteral
{
    /// The position, or one of librdkafka's negative logical offsets, defined as static members.
    public let rawValue: Int64

    /// Creates the offset for this position.
    public init(rawValue: Int64) { self.rawValue = rawValue }

    /// Creates an offset from a literal position.
    public init(integerLiteral value: Int64) { self.rawValue = value }

    /// The oldest record in the partition (`RD_KAFKA_OFFSET_BEGINNING`).
    public static let beginning = KafkaOffset(rawValue: -2)
    /// The position after the newest record (`RD_KAFKA_OFFSET_END`).
    public static let end = KafkaOffset(rawValue: -1)
    /// The group's committed offset (`RD_KAFKA_OFFSET_STORED`).
    public static let stored = KafkaOffset(rawValue: -1000)
    /// No offset (`RD_KAFKA_OFFSET_INVALID`), for example because none was committed.
    public static let none = KafkaOffset(rawValue: -1001)

    public static func < (left: KafkaOffset, right: KafkaOffset) -> Bool { left.rawValue < right.rawValue }

    public var description: String { String(rawValue) }
}

/// One partition of one topic.
public struct KafkaTopicPartition: Hashable, Sendable, CustomStringConvertible {
    /// The topic.
    public let topic: KafkaTopic
    /// The partition within the topic.
    public let partition: KafkaPartition

    /// Creates a partition of this topic.
    public init(topic: KafkaTopic, partition: KafkaPartition) {
        self.topic = topic
        self.partition = partition
    }

    /// The partition as `topic[partition]`, as Kafka's own tools print it.
    public var description: String { "\(topic)[\(partition)]" }
}
