/// One rule of the file.
struct RefundRule: Hashable, Sendable {
    /// Unique in the file; the label of statistics.
    var name: String
    var conditions: RefundConditions
    var outcome: RefundOutcome
    /// What holds for the cases of this rule unless the company's service says otherwise.
    var consumption: ConsumptionFacts
}
