/// The decision for one round.
package struct RefundDecision: Hashable, Sendable {
    /// The source of the outcome.
    package enum Source: String, CaseIterable, Sendable {
        case rule
        /// No rule applied.
        case fallback = "default"
        /// The company's service.
        case provider
        /// The preferences that the company has recorded for the customer.
        case preference
    }

    package var source: Source
    /// The first rule that applied, or nil if none did. The company's service or a preference may have chosen the
    /// outcome instead.
    package var rule: String?
    package var outcome: RefundOutcome
    /// The facts, each taken from the first source that provides it: service, preference, rule, file. Consent depends
    /// on all sources.
    package var consumption: ConsumptionFacts
    /// Whether consent is missing because a parent withdrew consent to the use of the app.
    package var isConsentRescinded = false
    /// The ``RefundRules/fingerprint`` of the rules used.
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
