public import Kafka
public import PipelineRuntime

/// The brokers refuse the row that a record has changed, whenever it is published. The record is dead-lettered: its letter
/// holds in Kafka what the state's topic does not.
public struct RowRefusal: RecordFault, CustomStringConvertible {
    /// The reason's code of a row that is larger than the topic takes (`max.message.bytes`).
    public static let tooLarge = "state_too_large"
    /// The reason's code of a row that the topic refuses otherwise.
    public static let refused = "state_refused"

    /// The brokers' error.
    public let error: KafkaError

    init(_ error: KafkaError) { self.error = error }

    public var reason: HandlerReason {
        HandlerReason(code: error.code.isTooLarge ? Self.tooLarge : Self.refused, detail: error.message)
    }

    public var description: String { "the row cannot be published: \(error)" }
}
