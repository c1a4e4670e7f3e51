/// The reason codes of dead-lettered records, waiting rounds, and rounds that ended without an answer. They are metric
/// labels and appear in records, so they are a contract. The codes of `RefundRules.ConsumptionError` are also used,
/// unchanged.
package enum RefundReason {
    // Reasons for dead-lettering a record. An operator should examine it.
    package static let identityMissing = "identity_missing"
    package static let transactionMissing = "transaction_missing"
    package static let environmentMismatch = "environment_mismatch"
    package static let identifierTooLong = "identifier_too_long"

    // Final reasons, which end the round without an answer.
    package static let notConfirmed = "not_confirmed"
    package static let ambiguous = "ambiguous"
    package static let erased = "erased"
    package static let observed = "observed"
    /// An operator replaced the frozen answer.
    package static let replaced = "replaced"
    package static let tooLate = "too_late"

    // Temporary reasons. The round waits until the cause is resolved.
    package static let appNotConfigured = "app_not_configured"
    package static let keyMissing = "key_missing"
    package static let factsUnreadable = "facts_unreadable"
    package static let preferenceUnreadable = "preference_unreadable"
    package static let providerSilent = "provider_silent"
    package static let providerRefused = "provider_refused"
    package static let providerMalformed = "provider_malformed"
    /// A newer version of Sluice froze the answer.
    package static let newerAnswer = "newer_answer"
    package static let apiUnauthorized = "api_unauthorized"
    package static let apiNotFound = "api_not_found"
    package static let apiRateLimited = "api_rate_limited"
    package static let apiRefused = "api_refused"
    package static let apiUnavailable = "api_unavailable"
    /// The deadline passed without a recorded obstacle, so the round ended.
    package static let noAnswerAccepted = "no_answer_accepted"

    /// The reasons for waiting that are values of a metric label, in addition to the codes of temporary problems in
    /// `ConsumptionError`.
    package static let ofWaiting = [
        appNotConfigured, keyMissing, factsUnreadable, preferenceUnreadable, providerSilent, providerRefused,
        providerMalformed, newerAnswer, apiUnauthorized, apiNotFound, apiRateLimited, apiRefused, apiUnavailable,
    ]
}
