package import AppStoreModel
internal import AppStoreVerification
package import Kafka
package import Records
package import Tracing

/// Publishes notifications of any version: builds the record, publishes the header segments that it references,
/// produces the record, and reports Kafka's acknowledgement.
///
/// Never blocks. Completions are called from delivery reports on the producer's thread.
package final class NotificationPublisher: Sendable {
    package typealias Completion = @Sendable (Result<Void, KafkaError>) -> Void

    /// An event during publication, for metrics.
    package enum Event: Sendable {
        /// A record was acknowledged. `nanoseconds` is the time since librdkafka accepted the record, and `span` is the
        /// publication's span, or nil if it is not recorded.
        case acknowledged(nanoseconds: UInt64, span: Span?)
        case notAcknowledged(KafkaError)
        /// A header segment was acknowledged in the certificates topic.
        case certificateHeader
        /// A record contains the compact JWS, because it cannot be rebuilt byte for byte.
        case signedPayloadKept
    }

    private let producer: KafkaProducer
    private let topics: ProducedTopics
    private let certificates: CertificateHeaders
    private let clock: @Sendable () -> UInt64
    private let observe: @Sendable (Event) -> Void

    /// - Parameters:
    ///   - producer: the producer for all `topics`.
    ///   - clock: returns monotonic nanoseconds.
    package init(
        producer: KafkaProducer, topics: ProducedTopics, clock: @escaping @Sendable () -> UInt64,
        observe: @escaping @Sendable (Event) -> Void
    ) {
        self.producer = producer
        self.topics = topics
        self.clock = clock
        self.observe = observe
        certificates = CertificateHeaders(topic: topics.certificates) { record, then in
            Self.send(record, with: producer, clock, observe) { result in
                if case .success = result { observe(.certificateHeader) }
                then(result)
            }
        }
    }

    /// Publishes a notification. Calls `then` once: after the record and all header segments that it references are
    /// acknowledged, or with the first failure.
    ///
    /// - Parameters:
    ///   - traceParent: the W3C trace context for the record's header, already validated by the caller.
    ///   - span: the publication's span, which the caller ends. The wait for the acknowledgement becomes a child span.
    package func publish(
        _ notification: AcceptedNotification, receivedAt: AppStoreInstant, origin: RecordOrigin,
        traceParent: String? = nil, span: Span? = nil, then: @escaping Completion
    ) {
        let (identity, trust) = (notification.identity, notification.trust)
        let topic = topics.notifications(identity.environment)
        withContent(of: notification) { [self] content in
            switch content {
            case .failure(let error): then(.failure(error))
            case .success(let content):
                send(
                    KafkaProducerRecord(
                        identity, to: topic, content: content, receivedAt: receivedAt, trust: trust, origin: origin,
                        traceParent: traceParent), span, then: then)
            }
        }
    }

    /// Publishes a quarantine record. Calls `then` once with the outcome.
    ///
    /// - Parameter span: the span of the publication; see ``publish(_:receivedAt:origin:traceParent:span:then:)``.
    package func quarantine(_ record: QuarantineRecord, span: Span? = nil, then: @escaping Completion) {
        send(record.produced(to: topics.quarantine), span, then: then)
    }

    /// Calls `then` with the content once all header segments that it references are acknowledged: immediately if this
    /// is already known, otherwise from the segments' delivery reports.
    private func withContent(
        of notification: AcceptedNotification,
        then: @escaping @Sendable (Result<RecordContent, KafkaError>) -> Void
    ) {
        let verified: VerifiedNotification
        switch notification.content {
        case .unsigned(let content): return then(.success(content))
        case .signed(let signed): verified = signed
        }
        guard let parts = verified.signedParts else {
            observe(.signedPayloadKept)
            return then(.success(RecordContent(verified, proof: nil)))
        }
        let headers = parts.headers
        if let references = certificates.references(to: headers) {
            return then(.success(RecordContent(verified, proof: parts.proof(references))))
        }
        certificates.publish(headers) { references in
            then(references.map { RecordContent(verified, proof: parts.proof($0)) })
        }
    }

    private func send(_ record: KafkaProducerRecord, _ span: Span? = nil, then: @escaping Completion) {
        Self.send(record, with: producer, clock, observe, span, then: then)
    }

    private static func send(
        _ record: KafkaProducerRecord, with producer: KafkaProducer, _ clock: @Sendable @escaping () -> UInt64,
        _ observe: @Sendable @escaping (Event) -> Void, _ span: Span? = nil, then: @escaping Completion
    ) {
        let begun = clock()
        // No deadline is needed here: the waiting request has one, and the record counts as in flight until librdkafka
        // has released it.
        producer.send(record, deadline: nil) { result in
            let waited = clock() &- begun
            if let span { recordAcknowledgement(result, nanoseconds: waited, in: span) }
            switch result {
            case .success:
                observe(.acknowledged(nanoseconds: waited, span: span))
                then(.success(()))
            case .failure(let error):
                observe(.notAcknowledged(error))
                then(.failure(error))
            }
        }
    }

    private static func recordAcknowledgement(
        _ result: Result<KafkaDelivery, KafkaError>, nanoseconds: UInt64, in span: Span
    ) {
        switch result {
        case .success(let delivery):
            span.recordChild("acknowledge", .internal, nanoseconds: nanoseconds, SpanAttribute.delivery(delivery))
        case .failure(let error):
            span.recordChild("acknowledge", .internal, nanoseconds: nanoseconds, [], error: error.name)
        }
    }
}
