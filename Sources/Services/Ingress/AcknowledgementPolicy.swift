internal import AppStoreVerification
internal import HTTPServer
internal import Kafka
internal import Publication
internal import Records

/// Maps outcomes to responses such that Apple retries if and only if a retry can help: 4xx means that the sender is at
/// fault; 503 means that this service is at fault or that the problem is temporary; 200 means that the notification is
/// durably stored.
enum AcknowledgementPolicy {
    /// Kafka has acknowledged the record.
    static let accepted = HTTPResponse(status: 200, reason: IngressReason.accepted)
    /// Kafka has acknowledged the record in the sandbox topic. The app is configured without the sandbox.
    static let sandbox = HTTPResponse(status: 200, reason: IngressReason.sandbox)
    /// Kafka had already acknowledged the record.
    static let duplicate = HTTPResponse(status: 200, reason: IngressReason.duplicate)

    /// The wall clock is not plausible.
    static let clock = HTTPResponse(status: 503, reason: IngressReason.clock)
    /// The quarantine budget is exhausted.
    static let quarantineBudget = HTTPResponse(status: 503, reason: IngressReason.quarantineBudget)
    /// Returns the response to a rejected body of version 1 or earlier. The response closes the connection.
    static func refused(_ refusal: LegacyRefusal) -> HTTPResponse {
        let (status, reason) =
            switch refusal {
            case .disabled: (403, IngressReason.legacyDisabled)
            case .password: (401, IngressReason.legacyPassword)
            case .audience: (403, Reason.audience.rawValue)
            }
        return HTTPResponse(status: status, reason: reason, closes: true)
    }

    /// A verified notification has no identity, which is a programming error.
    static let inconsistent = HTTPResponse(status: 503, reason: IngressReason.inconsistent)

    /// Returns the response to a body that is not stored. A status from 400 to 403, or 413, closes the connection, so
    /// that invalid requests do not keep connections open.
    static func refused(_ refusal: Refusal) -> HTTPResponse {
        HTTPResponse(
            status: refusal.status, reason: refusal.reason.rawValue,
            closes: (400...403).contains(refusal.status) || refusal.status == 413)
    }

    /// Returns the response to a notification after Kafka has acknowledged it in the quarantine topic.
    static func quarantined(_ notification: QuarantinableNotification) -> HTTPResponse {
        HTTPResponse(status: 200, reason: notification.record.reason)
    }

    /// Returns the response for a record that Kafka has not stored or may not have stored. In either case, Apple
    /// retries, and consumers tolerate a second copy.
    static func notAcknowledged(_ error: KafkaError) -> HTTPResponse {
        let reason =
            switch error.code {
            case .brokersUnavailable, .allBrokersDown: IngressReason.kafkaUnavailable
            case .queueFull, .tooManyInFlight: IngressReason.kafkaQueueFull
            case .partitionSlow: IngressReason.kafkaSlow
            case .messageTimedOut, .deadlineExceeded, .timedOut: IngressReason.kafkaTimeout
            case .messageTooLarge: IngressReason.kafkaRecordTooLarge
            default: IngressReason.kafkaError
            }
        return HTTPResponse(status: 503, reason: reason)
    }
}
