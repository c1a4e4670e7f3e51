internal import AppStoreVerification
internal import HTTPServer
internal import Kafka
internal import Publication
internal import Records

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
    /// A version 1 or older body. What is not from someone with the secret ends its connection.
    static func refused(_ refusal: LegacyRefusal) -> HTTPResponse {
        let (status, reason) =
            switch refusal {
            case .disabled: (403, IngressReason.legacyDisabled)
            case .password: (401, IngressReason.legacyPassword)
            case .audience: (403, Reason.audience.rawValue)
            }
        return HTTPResponse(status: status, reason: reason, closes: true)
    }

    /// A verified notification that cannot be named: a contradiction between two parts of this program.
    static let inconsistent = HTTPResponse(status: 503, reason: IngressReason.inconsistent)

    /// Nothing is stored. The connection ends with what is not Apple's, so that junk keeps none open.
    static func refused(_ refusal: Refusal) -> HTTPResponse {
        HTTPResponse(
            status: refusal.status, reason: refusal.reason.rawValue,
            closes: (400...403).contains(refusal.status) || refusal.status == 413)
    }

    /// The quarantine topic has the bytes.
    static func quarantined(_ notification: QuarantinableNotification) -> HTTPResponse {
        HTTPResponse(status: 200, reason: notification.record.reason)
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
