/// An event of a client that is not the result of a call. Events are delivered one at a time on the client's own queue,
/// so the receiver must not block.
public enum KafkaClientEvent: Sendable {
    /// A log line of librdkafka.
    case log(KafkaLogLine)
    /// An error that does not result from a call; `place` is the partition it concerns, if any.
    case error(KafkaError, place: KafkaDelivery?)
    /// The client's statistics, emitted once per `statistics.interval.ms`.
    case statistics(KafkaStatistics)
    /// A fatal error ended the producer's client, which was replaced by a new one.
    case producerReplaced(generation: Int, because: KafkaError)
}

/// A log line of librdkafka.
public struct KafkaLogLine: Hashable, Sendable {
    /// Severity as in syslog: 0 emergency, 3 error, 4 warning, 5 notice, 6 info, 7 debug.
    public let level: Int
    /// librdkafka's name for the origin of the line, such as `FAIL` or `REQTMOUT`.
    public let facility: String
    /// The text of the line.
    public let message: String
}
