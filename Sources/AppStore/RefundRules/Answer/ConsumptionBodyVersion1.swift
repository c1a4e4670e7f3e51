internal import AppStoreModel
internal import JSON

/// Apple's ConsumptionRequestV1. Every member except the last is required, and unknown values are sent as undeclared.
enum ConsumptionBodyVersion1 {
    static func write(
        _ facts: RefundFacts, _ statement: ConsumptionStatement
    ) -> (body: [UInt8], notes: [ConsumptionNote]) {
        let token = token(facts.appAccountToken)
        let preference = preference(statement.outcome)
        var json = JSONWriter()
        json.object {
            $0.set("customerConsented", true)
            $0.set("consumptionStatus", consumptionStatus(statement.facts))
            $0.set("platform", statement.facts.platform?.version1 ?? 0)
            $0.set("sampleContentProvided", statement.sampleContentProvided)
            $0.set("deliveryStatus", statement.deliveryStatus.version1)
            $0.set("appAccountToken", token.value)
            $0.set("accountTenure", ConsumptionClass.accountTenure(days: statement.facts.accountTenureDays))
            $0.set("playTime", ConsumptionClass.playTime(minutes: statement.facts.playTimeMinutes))
            $0.set(
                "lifetimeDollarsRefunded",
                ConsumptionClass.lifetimeDollars(cents: statement.facts.lifetimeRefundedCents))
            $0.set(
                "lifetimeDollarsPurchased",
                ConsumptionClass.lifetimeDollars(cents: statement.facts.lifetimePurchasedCents))
            $0.set("userStatus", statement.facts.userStatus?.version1 ?? 0)
            $0.set("refundPreference", preference.value)
        }
        return (json.bytes, [token.note, preference.note].compactMap(\.self))
    }

    /// Returns the status in the facts or, if there is none, one derived from the percentage. Returns 0, which means
    /// undeclared, if there is neither.
    private static func consumptionStatus(_ facts: ConsumptionFacts) -> Int64 {
        if let status = facts.consumptionStatus { return status.version1 }
        guard let percentage = facts.consumptionPercentage else { return 0 }
        if percentage <= 0 { return ConsumptionStatus.notConsumed.version1 }
        if percentage >= 100_000 { return ConsumptionStatus.fullyConsumed.version1 }
        return ConsumptionStatus.partiallyConsumed.version1
    }

    /// Returns the token if it is a UUID, and otherwise an empty string, which means undeclared. The member is
    /// required.
    private static func token(_ token: AppAccountToken?) -> (value: String, note: ConsumptionNote?) {
        guard let token, !token.rawValue.isEmpty else { return ("", nil) }
        return token.isWellFormed ? (token.rawValue, nil) : ("", .malformedAccountToken)
    }

    private static func preference(_ outcome: RefundOutcome) -> (value: Int64?, note: ConsumptionNote?) {
        switch outcome {
        case .grantFull: (1, nil)
        case .decline: (2, nil)
        case .noPreference: (3, nil)
        case .grantProrated: (nil, .proratedInVersion1)
        // `ConsumptionStatement` has already rejected these two outcomes.
        case .doNotAnswer, .hold: (nil, nil)
        }
    }
}
