/// What the rules say about one case.
package struct RefundDecision: Hashable, Sendable {
    /// Who chose the outcome.
    package enum Source: String, CaseIterable, Sendable {
        case rule
        /// No rule applied.
        case fallback = "default"
        /// The company's service.
        case provider
    }

    package var source: Source
    /// The first rule that applied, also where the company's service chose the outcome; nil where none did.
    package var rule: String?
    package var outcome: RefundOutcome
    /// What the company's service said, then what the rule says, then what the file says for all cases.
    package var consumption: ConsumptionFacts
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
