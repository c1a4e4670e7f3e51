/// One rule in the rules file.
struct RefundRule: Hashable, Sendable {
    /// The name, unique within the file and used as a metric label.
    var name: String
    var conditions: RefundConditions
    var outcome: RefundOutcome
    /// Facts for the cases to which this rule applies, unless the company's service provides them.
    var consumption: ConsumptionFacts
}
