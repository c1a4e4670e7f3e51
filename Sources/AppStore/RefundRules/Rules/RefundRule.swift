/// One rule of the rules file.
struct RefundRule: Hashable, Sendable {
    /// The name, which is unique within the file and used as a metric label.
    var name: String
    var conditions: RefundConditions
    var outcome: RefundOutcome
    /// Facts for the cases of this rule, unless the company's service provides them.
    var consumption: ConsumptionFacts
}
