package import Kafka
package import Primitives
internal import Telemetry

/// Publishes a member's operator events. Publishing never blocks or fails the caller's work: an event that cannot be
/// sent is dropped and counted.
///
/// Callers publish one event per transition, for example when a receiver stops.
package final class OperatorEvents: Sendable {
    /// The maximum size of a value in bytes. Larger events are dropped.
    package static let maximumValueBytes = 16_384

    package let member: OperatorEventMember
    private let topic: KafkaTopic
    private let clocks: Clocks
    private let send: @Sendable (OperatorEventType, KafkaProducerRecord) -> Void

    /// - Parameter send: sends a record without waiting.
    package init(
        _ member: OperatorEventMember, topic: KafkaTopic, clocks: Clocks = .system,
        send: @escaping @Sendable (OperatorEventType, KafkaProducerRecord) -> Void
    ) {
        self.member = member
        self.topic = topic
        self.clocks = clocks
        self.send = send
    }

    /// Publishes an event with the current time.
    ///
    /// - Parameters:
    ///   - subject: the subject, such as a consumer group; nil if it is the member itself.
    ///   - data: the details that the schema lists for this type; nil values are omitted.
    package func publish(
        _ type: OperatorEventType, subject: String? = nil, data: KeyValuePairs<String, OperatorEventValue?> = [:]
    ) {
        let event = OperatorEvent(
            type, subject: subject, data: data, id: TraceParent.random().traceId,
            atMilliseconds: clocks.wallMilliseconds())
        send(type, event.produced(to: topic, from: member))
    }
}
