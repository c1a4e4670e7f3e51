internal import AppStoreModel
internal import JSON

/// Apple's ConsumptionRequest.
enum ConsumptionBodyVersion2 {
    private static let wholePercentage: Int64 = 100_000

    static func write(
        _ facts: RefundFacts, _ statement: ConsumptionStatement
    ) -> (body: [UInt8], notes: [ConsumptionNote]) {
        let percentage = percentage(facts, statement)
        let preference = preference(facts, statement, percentage.value)
        var json = JSONWriter()
        json.object {
            $0.set("customerConsented", true)
            $0.set("deliveryStatus", statement.deliveryStatus.rawValue)
            $0.set("sampleContentProvided", statement.sampleContentProvided)
            $0.set("consumptionPercentage", percentage.value)
            $0.set("refundPreference", preference.value)
        }
        return (json.bytes, [percentage.note, preference.note].compactMap(\.self))
    }

    /// Returns the percentage, or nil if there is none or Apple would not accept it. In the latter case, the note
    /// states the reason. The percentage must be 0 for an undelivered purchase, and is omitted if the product is, or
    /// may be, an auto-renewable subscription.
    private static func percentage(
        _ facts: RefundFacts, _ statement: ConsumptionStatement
    ) -> (value: Int64?, note: ConsumptionNote?) {
        guard let percentage = statement.facts.consumptionPercentage else { return (nil, nil) }
        guard let type = facts.productType, type.isKnown else { return (nil, .percentageOfUnknownType) }
        guard type != .autoRenewableSubscription else { return (nil, .percentageOfSubscription) }
        guard (0...wholePercentage).contains(percentage) else { return (nil, .percentageOutOfRange) }
        guard statement.deliveryStatus == .delivered || percentage == 0 else { return (nil, .percentageOfUndelivered) }
        return (percentage, nil)
    }

    private static func preference(
        _ facts: RefundFacts, _ statement: ConsumptionStatement, _ percentage: Int64?
    ) -> (value: String?, note: ConsumptionNote?) {
        switch statement.outcome {
        case .decline: return ("DECLINE", nil)
        case .grantFull: return ("GRANT_FULL", nil)
        case .grantProrated:
            let isDivisible = percentage.map { $0 > 0 && $0 < wholePercentage } ?? false
            guard facts.productType == .autoRenewableSubscription || isDivisible else {
                return (nil, .proratedWithoutPercentage)
            }
            return ("GRANT_PRORATED", nil)
        // If the member is absent, Apple assumes no preference. `ConsumptionStatement` has already rejected the other
        // two outcomes.
        case .noPreference, .doNotAnswer, .hold: return (nil, nil)
        }
    }
}
