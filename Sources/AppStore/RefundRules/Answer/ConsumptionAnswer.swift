internal import AppStoreModel

/// The answer to a consumption request. Its body is stored in the case and sent byte for byte.
package struct ConsumptionAnswer: Hashable, Sendable {
    /// The version of the endpoint that accepts the answer. The raw value is the version in Apple's path.
    package enum Form: Int32, CaseIterable, Sendable {
        /// Apple: ConsumptionRequestV1, for Advanced Commerce purchases.
        case version1 = 1
        /// Apple: ConsumptionRequest.
        case version2 = 2
    }

    package let form: Form
    /// Compact JSON with Apple's members in a fixed order.
    package let body: [UInt8]
    /// Reasons why members of the body were omitted.
    package let notes: [ConsumptionNote]

    /// Creates the body after checking every constraint that Apple documents.
    ///
    /// - Throws: ``ConsumptionError``. In that case, nothing may be sent.
    package init(_ facts: RefundFacts, _ decision: RefundDecision) throws(ConsumptionError) {
        let statement = try ConsumptionStatement(facts, decision)
        // The version 2 endpoint rejects Advanced Commerce purchases, and version 1 is documented only for them.
        form = facts.isAdvancedCommerce ? .version1 : .version2
        switch form {
        case .version1: (body, notes) = ConsumptionBodyVersion1.write(facts, statement)
        case .version2: (body, notes) = ConsumptionBodyVersion2.write(facts, statement)
        }
    }

    /// Returns the reason why Apple does not accept any answer for a transaction, regardless of the company's data.
    /// Returns nil if there is no such reason.
    package static func finalProblem(of facts: RefundFacts) -> ConsumptionError? {
        switch facts.inAppOwnershipType {
        case .familyShared:
            return ConsumptionError(
                code: .familyShared, message: "Apple does not accept an answer for a family member's transaction")
        case .assigned:
            return ConsumptionError(
                code: .assigned, message: "Apple does not accept an answer for an assigned transaction")
        default: break
        }
        guard facts.isAdvancedCommerce, let type = facts.productType, type.isKnown, type != .consumable,
            type != .autoRenewableSubscription
        else { return nil }
        return ConsumptionError(
            code: .typeNotSupported,
            message: """
                for Advanced Commerce purchases, Apple accepts answers only about consumables and auto-renewable \
                subscriptions
                """)
    }
}
