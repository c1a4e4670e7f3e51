/// Codes that say why a record was dead-lettered, or why a case got no answer. They label metrics and stand in records:
/// a contract.
package enum RefundReason {
    // Dead-lettered: an operator should look.
    package static let identityMissing = "identity_missing"
    package static let transactionMissing = "transaction_missing"
    package static let environmentMismatch = "environment_mismatch"
    package static let identifierTooLong = "identifier_too_long"
    // No answer was given; beside these the codes of `RefundRules.ConsumptionProblem`.
    package static let consentRescinded = "consent_rescinded"
    package static let rules = "do_not_answer"
    package static let provider = "provider"
    package static let appNotConfigured = "app_not_configured"
    package static let notConfirmed = "not_confirmed"
    package static let ambiguous = "ambiguous"
    package static let productType = "product_type"
    package static let invalidAnswer = "invalid_answer"
    // The time was over.
    package static let receivedTooLate = "received_too_late"
    package static let noAnswerAccepted = "no_answer_accepted"
}
