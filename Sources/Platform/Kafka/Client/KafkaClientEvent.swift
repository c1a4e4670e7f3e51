/// What a client has to say beside the answers to calls: delivered one at a time on the client's own queue, so the
/// receiver must not block.
public enum KafkaClientEvent: Sendable {
    /// A log line of librdkafka.
    case log(KafkaLogLine)
    /// An error that belongs to no call; of a partition where `place` is given.
    case error(KafkaError, place: KafkaDelivery?)
    /// The client's statistics, once per `statistics.interval.ms`.
    case statistics(KafkaStatistics)
    /// A fatal error ended the producer, and a new one has taken its place.
    case producerReplaced(generation: Int, because: KafkaError)
}

/// A log line of librdkafka.
public struct KafkaLogLine: Hashable, Sendable {
    /// The level as in syslog: 0 emergency, 3 error, 4 warning, 5 notice, 6 info, 7 debug.
    public let level: Int
    /// librdkafka's word for the part that speaks, such as `FAIL` or `REQTMOUT`.
    public let facility: String
    /// The line.
    public let message: String
}
