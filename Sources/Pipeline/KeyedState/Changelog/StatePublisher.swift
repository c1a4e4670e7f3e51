internal import Kafka
internal import Telemetry
internal import Tracing

/// The producer for a keyed state's topics.
final class StatePublisher: Sendable {
    private let producer: KafkaProducer

    /// - Throws: a `KafkaError` if librdkafka refuses a setting.
    init(_ kafka: KafkaConfiguration, topics: [KafkaTopic], logger: Logger) throws(KafkaError) {
        // Records are already sent in batches, so a longer linger would only cost time. The delivery timeout leaves
        // time for a leader election; the input stays uncommitted in the meantime.
        let own = ["linger.ms": "1", "delivery.timeout.ms": "30000", "message.max.bytes": "1000000"]
        let log = RateLimitedLogger(logger, perSecond: 1)
        producer = try KafkaProducer(
            kafka.adding(own) { given, _ in given }, topics: topics
        ) { event in
            guard case .error(let error, _) = event else { return }
            log.log(.warning, key: error.name, "state producer error", [LogField(.error, error.message)])
        }
    }

    /// Sends without blocking; `completion` must not block and may run before this returns.
    func send(
        _ record: KafkaProducerRecord, completion: @escaping @Sendable (Result<KafkaDelivery, KafkaError>) -> Void
    ) {
        // Only recorded traces of handler calls have a scope.
        if let span = record.key.flatMap({ TraceScope.current?.span(forKey: $0) }) {
            return sendTraced(record, in: span, completion: completion)
        }
        producer.send(record, deadline: .seconds(35), completion: completion)
    }

    /// Sends a record within the trace of the input record that changed its row. The span ends when the brokers have
    /// answered.
    private func sendTraced(
        _ record: KafkaProducerRecord, in parent: Span,
        completion: @escaping @Sendable (Result<KafkaDelivery, KafkaError>) -> Void
    ) {
        let span = parent.child("send \(record.topic)", .producer)
        var record = record
        record.headers.append(KafkaHeader(key: "traceparent", text: span.context.text))
        if let key = record.key { span.remember(forKey: key) }
        let topic = record.topic
        producer.send(record, deadline: .seconds(35)) { result in
            switch result {
            case .success(let delivery): span.end(SpanAttribute.sending(to: topic) + SpanAttribute.position(delivery))
            case .failure(let error): span.end(SpanAttribute.sending(to: topic), error: error.name)
            }
            completion(result)
        }
    }

    func close(within limit: Duration) async { await producer.close(within: limit) }
}
