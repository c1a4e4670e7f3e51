internal import AppStoreModel

/// The validated facts required by both bodies, most importantly consent.
struct ConsumptionStatement {
    let outcome: RefundOutcome
    let deliveryStatus: DeliveryStatus
    let sampleContentProvided: Bool
    let facts: ConsumptionFacts

    init(_ facts: RefundFacts, _ decision: RefundDecision) throws(ConsumptionError) {
        let consumption = decision.consumption
        if let problem = ConsumptionAnswer.finalProblem(of: facts) { throw problem }
        guard decision.outcome != .doNotAnswer else {
            throw ConsumptionError(code: .doNotAnswer, message: "the decision is to send nothing")
        }
        guard consumption.customerConsented == true else {
            throw decision.isConsentRescinded
                ? ConsumptionError(
                    code: .consentRescinded,
                    message: "a parent withdrew consent, and no consent has been recorded since")
                : ConsumptionError(
                    code: .noConsent,
                    message: "the customer's consent is not recorded; without it, Apple requires that nothing be sent")
        }
        guard decision.outcome != .hold else {
            throw ConsumptionError(code: .held, message: "an operator must decide: sluicectl refunds answer")
        }
        guard let deliveryStatus = consumption.deliveryStatus else {
            throw ConsumptionError(
                code: .deliveryStatusMissing,
                message: """
                    deliveryStatus is required: set it under consumption in the rules, or in the answer of your service
                    """)
        }
        guard let sampleContentProvided = consumption.sampleContentProvided else {
            throw ConsumptionError(
                code: .sampleContentMissing,
                message: """
                    sampleContentProvided is required: set it under consumption in the rules, or in the answer of your \
                    service
                    """)
        }
        outcome = decision.outcome
        self.deliveryStatus = deliveryStatus
        self.sampleContentProvided = sampleContentProvided
        self.facts = consumption
    }
}
