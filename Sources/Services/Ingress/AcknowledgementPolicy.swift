internal import AppStoreVerification
internal import HTTPServer
internal import Kafka

/// Which answer each outcome deserves, so that Apple sends again when, and only when, that can help: 4xx is the
/// sender's, 503 is ours or temporary, 200 is durable.
enum AcknowledgementPolicy {
    /// Kafka has the record.
    static let accepted = HTTPResponse(status: 200, reason: IngressReason.accepted)
    /// Kafka has the record in the topic of the sandbox, for an app that is configured without it.
    static let sandbox = HTTPResponse(status: 200, reason: IngressReason.sandbox)
    /// Kafka had the record before.
    static let duplicate = HTTPResponse(status: 200, reason: IngressReason.duplicate)

    /// The wall clock cannot be believed.
    static let clock = HTTPResponse(status: 503, reason: IngressReason.clock)
    /// More quarantine records than the budget allows.
    static let quarantineBudget = HTTPResponse(status: 503, reason: IngressReason.quarantineBudget)
    /// A version 1 or older body, which no app is configured to send.
    static let legacyDisabled = HTTPResponse(status: 403, reason: IngressReason.legacyDisabled, closes: true)

    /// A verified notification that cannot be named: a contradiction between two parts of this program.
    static let inconsistent = HTTPResponse(status: 503, reason: IngressReason.inconsistent)

    /// Nothing is stored. The connection ends with what is not Apple's, so that junk keeps none open.
    static func refused(_ refusal: Refusal) -> HTTPResponse {
        HTTPResponse(
            status: refusal.status, reason: refusal.reason.rawValue, closes: (400...403).contains(refusal.status))
    }

    /// The quarantine topic has the bytes.
    static func quarantined(_ notification: NonconformingNotification) -> HTTPResponse {
        HTTPResponse(status: 200, reason: notification.reason.rawValue)
    }

    /// Kafka does not have the record, or it is not known whether it has: in either case Apple sends again, and
    /// consumers absorb a second copy.
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
