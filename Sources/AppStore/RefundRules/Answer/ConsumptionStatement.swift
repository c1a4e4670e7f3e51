internal import AppStoreModel

/// What both bodies require, checked: consent above all.
struct ConsumptionStatement {
    let outcome: RefundOutcome
    let deliveryStatus: DeliveryStatus
    let sampleContentProvided: Bool
    let facts: ConsumptionFacts

    init(_ facts: RefundFacts, _ decision: RefundDecision) throws(ConsumptionProblem) {
        let consumption = decision.consumption
        guard decision.outcome != .doNotAnswer else {
            throw ConsumptionProblem(code: .doNotAnswer, message: "the decision is to send nothing")
        }
        guard consumption.customerConsented == true else {
            throw ConsumptionProblem(
                code: .noConsent,
                message: "the customer is not known to have consented; Apple asks to send nothing then")
        }
        guard facts.inAppOwnershipType != .familyShared else {
            throw ConsumptionProblem(
                code: .familyShared, message: "Apple takes no answer for the transaction of a family member")
        }
        guard let deliveryStatus = consumption.deliveryStatus else {
            throw ConsumptionProblem(
                code: .deliveryStatusMissing,
                message: "deliveryStatus is required: state it under consumption in the rules, or in the answer")
        }
        guard let sampleContentProvided = consumption.sampleContentProvided else {
            throw ConsumptionProblem(
                code: .sampleContentMissing,
                message: "sampleContentProvided is required: state it under consumption in the rules, or in the answer"
            )
        }
        outcome = decision.outcome
        self.deliveryStatus = deliveryStatus
        self.sampleContentProvided = sampleContentProvided
        self.facts = consumption
    }
}
