/// Codes that say why a record was dead-lettered, why a round waits, or why it ended without an answer. They label metrics
/// and are in records: a contract. The codes of `RefundRules.ConsumptionProblem` are used as they are.
package enum RefundReason {
    // Dead-lettered: an operator should look.
    package static let identityMissing = "identity_missing"
    package static let transactionMissing = "transaction_missing"
    package static let environmentMismatch = "environment_mismatch"
    package static let identifierTooLong = "identifier_too_long"

    // Final: the round ends without an answer.
    package static let notConfirmed = "not_confirmed"
    package static let ambiguous = "ambiguous"
    package static let erased = "erased"
    package static let observed = "observed"
    /// An operator wants another answer than the one that was frozen.
    package static let replaced = "replaced"
    package static let tooLate = "too_late"

    // Unable: the round waits, and somebody can change it.
    package static let appNotConfigured = "app_not_configured"
    package static let keyMissing = "key_missing"
    package static let factsUnreadable = "facts_unreadable"
    package static let preferenceUnreadable = "preference_unreadable"
    package static let providerSilent = "provider_silent"
    package static let providerRefused = "provider_refused"
    package static let providerMalformed = "provider_malformed"
    /// A newer version froze the answer.
    package static let newerAnswer = "newer_answer"
    package static let apiUnauthorized = "api_unauthorized"
    package static let apiNotFound = "api_not_found"
    package static let apiRateLimited = "api_rate_limited"
    package static let apiRefused = "api_refused"
    package static let apiUnavailable = "api_unavailable"
    /// Nothing stood in the way when the time was over.
    package static let noAnswerAccepted = "no_answer_accepted"

    /// Reasons for which a round waits, with the unable ones of `ConsumptionProblem`: the values of a label.
    package static let ofWaiting = [
        appNotConfigured, keyMissing, factsUnreadable, preferenceUnreadable, providerSilent, providerRefused,
        providerMalformed, newerAnswer, apiUnauthorized, apiNotFound, apiRateLimited, apiRefused, apiUnavailable,
    ]
}
