/// The company's rules for refund requests: an ordered list of which the first that applies decides.
///
/// A pure value: the same facts always give the same decision.
package struct RefundRules: Hashable, Sendable {
    var rules: [RefundRule]
    /// Where no rule applies.
    var fallback: RefundOutcome
    /// What holds for all cases unless a rule or the company's service says otherwise.
    var consumption: ConsumptionFacts
    /// Equal for files that differ in white space alone: 16 hexadecimal digits, for records and statistics.
    package let fingerprint: String

    init(rules: [RefundRule], fallback: RefundOutcome, consumption: ConsumptionFacts, fingerprint: String) {
        self.rules = rules
        self.fallback = fallback
        self.consumption = consumption
        self.fingerprint = fingerprint
    }

    /// Without a file: no preference, and nothing known that the company's service does not say.
    package static let none = RefundRules(
        rules: [], fallback: .noPreference, consumption: ConsumptionFacts(), fingerprint: "none")

    /// The names of the rules in their order.
    package var names: [String] { rules.map(\.name) }

    /// Decides one case.
    ///
    /// - Parameter consumption: what the company's service answered; nil where there is none, or no answer of it.
    package func decide(_ facts: RefundFacts, _ consumption: ConsumptionFacts?) -> RefundDecision {
        let company = consumption ?? ConsumptionFacts()
        let rule = rules.first { $0.conditions.hold(facts, company.merging(self.consumption)) }
        let source: RefundDecision.Source
        if company.outcome != nil { source = .provider } else { source = rule == nil ? .fallback : .rule }
        return RefundDecision(
            source: source, rule: rule?.name, outcome: company.outcome ?? rule?.outcome ?? fallback,
            consumption: company.merging(rule?.consumption).merging(self.consumption),
            rulesFingerprint: fingerprint)
    }
}
