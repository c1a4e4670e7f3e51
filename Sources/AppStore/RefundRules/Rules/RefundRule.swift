/// One rule of the file.
struct RefundRule: Hashable, Sendable {
    /// Unique in the file; used as a metric label.
    var name: String
    var conditions: RefundConditions
    var outcome: RefundOutcome
    /// Facts for the cases of this rule that the company's service does not state.
    var consumption: ConsumptionFacts
}
