public import Kafka
public import PipelineRuntime

/// The error for a record if the brokers always refuse the row that it changed. The record is dead-lettered, so that
/// Kafka keeps the facts that are missing from the state's topic.
public struct RowRefusal: RecordFault, CustomStringConvertible {
    /// Reason code for a row that is larger than the topic's `max.message.bytes`.
    public static let tooLarge = "state_too_large"
    /// Reason code for a row that the topic refuses for any other reason.
    public static let refused = "state_refused"

    /// The error that the brokers returned.
    public let error: KafkaError

    init(_ error: KafkaError) { self.error = error }

    public var reason: HandlerReason {
        HandlerReason(code: error.code.isTooLarge ? Self.tooLarge : Self.refused, detail: error.message)
    }

    public var description: String { "the row cannot be published: \(error)" }
}
