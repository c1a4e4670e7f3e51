internal import Telemetry

/// The names of the service's metrics, which are a public contract. The runtime defines the metrics common to all
/// consumers.
enum RefundsMetricName {
    static let requests = "sluice_refunds_requests_total"
    static let attempts = "sluice_refunds_attempts_total"
    static let answers = "sluice_refunds_answers_total"
    static let ruleAnswers = "sluice_refunds_rule_answers_total"
    static let ended = "sluice_refunds_unanswered_total"
    static let undecided = "sluice_refunds_undecided"
    static let answerTime = "sluice_refunds_answer_seconds"
    static let nextDeadline = "sluice_refunds_next_deadline_seconds"
    static let paused = "sluice_refunds_paused"
    static let unauthorized = "sluice_refunds_unauthorized_total"
    static let providerFailures = "sluice_refunds_provider_failures_total"
    static let apiTime = "sluice_refunds_api_seconds"
    static let apiAnswers = "sluice_refunds_api_answers_total"
    static let preferencesIgnored = "sluice_refunds_preferences_ignored_total"
}

/// The reason codes for skipped and dead-lettered records, in addition to those in `RefundReason`.
enum RefundsReason {
    // Skipped.
    static let nullValue = "null_value"
    static let noRefund = "no_refund"
    static let switchedOff = "refunds_off"
    // Dead-lettered.
    static let unknownTopic = "unknown_topic"
}

/// The result of an attempt to send an answer. The raw values are the values of the `outcome` label.
enum AttemptOutcome: String, Sendable, CaseIterable {
    case accepted
    case refused
    case unauthorized
    case keyMissing = "key_missing"
    case notFound = "not_found"
    case rateLimited = "rate_limited"
    case unavailable
}

extension LogKey {
    static let transactionId = LogKey(rawValue: "transactionId")
    static let bundleId = LogKey(rawValue: "bundleId")
    static let environment = LogKey(rawValue: "environment")
    static let round = LogKey(rawValue: "round")
    static let rule = LogKey(rawValue: "rule")
    static let answer = LogKey(rawValue: "answer")
    static let attempts = LogKey(rawValue: "attempts")
    static let members = LogKey(rawValue: "members")
    static let fix = LogKey(rawValue: "fix")
}
