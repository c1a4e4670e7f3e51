internal import Telemetry

/// Names of the service's metrics, a contract; the consumer's own are the runtime's.
enum RefundsMetricName {
    static let requests = "sluice_refunds_requests_total"
    static let attempts = "sluice_refunds_attempts_total"
    static let answers = "sluice_refunds_answers_total"
    static let ended = "sluice_refunds_unanswered_total"
    static let answerTime = "sluice_refunds_answer_seconds"
    static let nextDeadline = "sluice_refunds_next_deadline_seconds"
    static let paused = "sluice_refunds_paused"
    static let unauthorized = "sluice_refunds_unauthorized_total"
    static let providerFailures = "sluice_refunds_provider_failures_total"
}

/// Codes of skipped and dead-lettered records beside those of `RefundReason`.
enum RefundsReason {
    // Skipped.
    static let nullValue = "null_value"
    static let noRefund = "no_refund"
    // Dead-lettered.
    static let unknownTopic = "unknown_topic"
}

/// What became of one attempt to send an answer: the label `outcome`.
enum AttemptOutcome: String, Sendable, CaseIterable {
    case accepted
    case refused
    case unauthorized
    case rateLimited = "rate_limited"
    case unavailable
}

extension LogKey {
    static let bundleId = LogKey(rawValue: "bundleId")
    static let environment = LogKey(rawValue: "environment")
    static let rule = LogKey(rawValue: "rule")
    static let answer = LogKey(rawValue: "answer")
    static let attempts = LogKey(rawValue: "attempts")
    static let fix = LogKey(rawValue: "fix")
}
