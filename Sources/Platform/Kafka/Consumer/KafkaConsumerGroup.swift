/// The name of a consumer group.
public struct KafkaConsumerGroup: RawRepresentable, Hashable, Sendable, CustomStringConvertible,
    ExpressibleByStringLiteral
{
    /// The name as brokers know it (`group.id`).
    public let rawValue: String

    /// A group of this name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A group of this name, for names that are literals.
    public init(stringLiteral value: String) { self.rawValue = value }

    public var description: String { rawValue }
}
