/// One rule in the rules file.
struct RefundRule: Hashable, Sendable {
    /// Unique within the file; used as a metric label.
    var name: String
    var conditions: RefundConditions
    var outcome: RefundOutcome
    /// Facts for this rule's cases that the company's service does not state.
    var consumption: ConsumptionFacts
}
