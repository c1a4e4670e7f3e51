/// The decision about one round.
package struct RefundDecision: Hashable, Sendable {
    /// Who chose the outcome.
    package enum Source: String, CaseIterable, Sendable {
        case rule
        /// No rule applied.
        case fallback = "default"
        /// The company's service.
        case provider
        /// The company's record for the customer.
        case preference
    }

    package var source: Source
    /// The first rule that applied, also where the company's service chose the outcome; nil where none did.
    package var rule: String?
    package var outcome: RefundOutcome
    /// Each fact by the first word that states it: service, preference, rule, file. Consent by all of them.
    package var consumption: ConsumptionFacts
    /// There is no consent because a parent revoked the app's use.
    package var isConsentRescinded = false
    /// ``RefundRules/fingerprint`` of the rules that decided.
    package var rulesFingerprint: String

    package init(
        source: Source, rule: String?, outcome: RefundOutcome, consumption: ConsumptionFacts, rulesFingerprint: String
    ) {
        self.source = source
        self.rule = rule
        self.outcome = outcome
        self.consumption = consumption
        self.rulesFingerprint = rulesFingerprint
    }
}
