/// The statement to Apple about one case. The raw values are a contract: of the rules file, of answers of the company's
/// service, and of records.
package enum RefundOutcome: String, CaseIterable, Sendable {
    case decline
    case grantFull
    case grantProrated
    /// The consumption is sent without a preference.
    case noPreference
    /// Nothing is sent.
    case doNotAnswer
    /// A person decides, with `sluicectl refunds answer`.
    case hold
}
