/// Codes that say why a record was dead-lettered, or why a case got no answer. They label metrics and stand in records:
/// a contract.
package enum RefundReason {
    // Dead-lettered: an operator should look.
    package static let identityMissing = "identity_missing"
    package static let transactionMissing = "transaction_missing"
    package static let environmentMismatch = "environment_mismatch"
    package static let identifierTooLong = "identifier_too_long"
    package static let fieldType = "field_type"
    // No answer was given.
    package static let noConsent = "no_consent"
    package static let consentRescinded = "consent_rescinded"
    package static let rules = "do_not_answer"
    package static let provider = "provider"
    package static let familyShared = "family_shared"
    package static let appNotConfigured = "app_not_configured"
    package static let notConfirmed = "not_confirmed"
    package static let invalidAnswer = "invalid_answer"
    // The time was over.
    package static let receivedTooLate = "received_too_late"
    package static let noAnswerAccepted = "no_answer_accepted"
}
