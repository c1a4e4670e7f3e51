internal import AppStoreVerification
internal import Kafka
internal import Tracing

/// Spans for recorded requests.
extension NotificationProcessor {
    /// Records the verification of one of the requests that a worker verified together.
    func recordVerification(_ verdict: Verdict, nanoseconds: UInt64, in span: Span) {
        let (name, reason) = Self.description(of: verdict)
        var attributes = [SpanAttribute(.verdict, name)]
        if let reason { attributes.append(SpanAttribute(.reason, reason)) }
        span.recordChild("verify", .internal, nanoseconds: nanoseconds, attributes)
    }

    func endSending(_ span: Span, to topic: KafkaTopic, _ result: Result<Void, KafkaError>) {
        switch result {
        case .success: span.end(SpanAttribute.sending(to: topic))
        case .failure(let error): span.end(SpanAttribute.sending(to: topic), error: error.name)
        }
    }

    private static func description(of verdict: Verdict) -> (name: String, reason: String?) {
        switch verdict {
        case .accepted(let notification): ("accepted", notification.reason?.rawValue)
        case .nonconforming(let notification): ("nonconforming", notification.reason.rawValue)
        case .duplicate: ("duplicate", nil)
        case .notForUs(let refusal): ("not_for_us", refusal.reason.rawValue)
        case .notApple(let refusal): ("not_apple", refusal.reason.rawValue)
        case .retryLater(let refusal): ("retry_later", refusal.reason.rawValue)
        case .legacy: ("legacy", nil)
        }
    }
}
