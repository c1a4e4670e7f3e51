/// The company's rules for refund requests: an ordered list in which the first applicable rule decides.
///
/// The rules have no side effects: equal facts always give the same decision.
package struct RefundRules: Hashable, Sendable {
    var rules: [RefundRule]
    /// The outcome if no rule applies.
    var fallback: RefundOutcome
    /// Facts that apply to all cases unless a rule or the company's service provides them.
    var consumption: ConsumptionFacts
    /// The fingerprint of the file, as 16 hexadecimal digits, for records and metrics. Files that differ only in white
    /// space have the same fingerprint.
    package let fingerprint: String

    init(rules: [RefundRule], fallback: RefundOutcome, consumption: ConsumptionFacts, fingerprint: String) {
        self.rules = rules
        self.fallback = fallback
        self.consumption = consumption
        self.fingerprint = fingerprint
    }

    /// The rules used if there is no file: no preference, and no facts except those from the company's service.
    package static let none = RefundRules(
        rules: [], fallback: .noPreference, consumption: ConsumptionFacts(), fingerprint: "none")

    /// The names of the rules, in order.
    package var names: [String] { rules.map(\.name) }

    /// Makes the decision for one round.
    ///
    /// - Parameter words: the company's statements about the customer.
    package func decide(_ facts: RefundFacts, _ words: CompanyWords) -> RefundDecision {
        let company = words.consumption
        let rule = rules.first { $0.conditions.hold(facts, company.merging(self.consumption)) }
        let source: RefundDecision.Source
        if words.service?.outcome != nil {
            source = .provider
        } else if words.preference?.preference != nil {
            source = .preference
        } else {
            source = rule == nil ? .fallback : .rule
        }
        var consumption = company.merging(rule?.consumption).merging(self.consumption)
        let consent = CustomerConsent(
            facts, words, file: rule?.consumption.customerConsented ?? self.consumption.customerConsented)
        consumption.customerConsented = consent.isGiven
        var decision = RefundDecision(
            source: source, rule: rule?.name, outcome: company.outcome ?? rule?.outcome ?? fallback,
            consumption: consumption, rulesFingerprint: fingerprint)
        decision.isConsentRescinded = consent == .rescinded
        return decision
    }
}
