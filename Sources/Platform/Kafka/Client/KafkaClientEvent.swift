/// A client event that does not result from a call. Events arrive one at a time on the client's queue, so the receiver
/// must not block.
public enum KafkaClientEvent: Sendable {
    /// A log line from librdkafka.
    case log(KafkaLogLine)
    /// An error that does not result from a call; `place` is the affected partition, if any.
    case error(KafkaError, place: KafkaDelivery?)
    /// The client's statistics, emitted once per `statistics.interval.ms`.
    case statistics(KafkaStatistics)
    /// A fatal error ended the producer's client, and a new client replaced it.
    case producerReplaced(generation: Int, because: KafkaError)
}

/// A log line from librdkafka.
public struct KafkaLogLine: Hashable, Sendable {
    /// The severity, as in syslog: 0 emergency, 3 error, 4 warning, 5 notice, 6 info, 7 debug.
    public let level: Int
    /// librdkafka's name for the line's origin, such as `FAIL` or `REQTMOUT`.
    public let facility: String
    /// The line's text.
    public let message: String
}
