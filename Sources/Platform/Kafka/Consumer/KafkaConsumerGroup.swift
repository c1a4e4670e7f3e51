/// The name of a consumer group.
public struct KafkaConsumerGroup: RawRepresentable, Hashable, Sendable, CustomStringConvertible,
    ExpressibleByStringLiteral
{
    /// The name used by brokers (`group.id`).
    public let rawValue: String

    /// Creates a group with this name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Creates a group from a literal name.
    public init(stringLiteral value: String) { self.rawValue = value }

    public var description: String { rawValue }
}
