/// The outcome of a decision about a case. The raw values are a contract: they appear in the rules file, in answers
/// from the company's service, and in records.
package enum RefundOutcome: String, CaseIterable, Sendable {
    case decline
    case grantFull
    case grantProrated
    /// Consumption information is sent without a preference.
    case noPreference
    /// Nothing is sent.
    case doNotAnswer
    /// A person decides with `sluicectl refunds answer`.
    case hold
}
