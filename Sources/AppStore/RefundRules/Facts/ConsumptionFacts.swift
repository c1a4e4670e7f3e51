/// The company's data about a purchase and the customer who made it. Nil means unknown, not false or zero.
package struct ConsumptionFacts: Hashable, Sendable {
    /// Whether the customer has consented to sharing this data with Apple. Only true means consent.
    package var customerConsented: Bool?
    package var deliveryStatus: DeliveryStatus?
    /// Whether a sample, trial or description was available before the purchase.
    package var sampleContentProvided: Bool?
    /// The consumed share in thousandths of a percent; 100000 means everything.
    package var consumptionPercentage: Int64?

    // These members are used only in the version 1 body.

    package var consumptionStatus: ConsumptionStatus?
    package var platform: ConsumptionPlatform?
    /// The number of whole days since the account was created.
    package var accountTenureDays: Int64?
    /// How long the customer has used the app, in whole minutes.
    package var playTimeMinutes: Int64?
    /// The amount purchased across all platforms, in US cents.
    package var lifetimePurchasedCents: Int64?
    /// The amount refunded across all platforms, in US cents.
    package var lifetimeRefundedCents: Int64?
    package var userStatus: UserStatus?

    /// An outcome chosen by the company's service, which overrides the outcome of the rules.
    package var outcome: RefundOutcome?

    package init() {}

    /// Returns these facts, with missing values taken from `others`.
    package func merging(_ others: ConsumptionFacts?) -> ConsumptionFacts {
        guard let others else { return self }
        var merged = self
        merged.customerConsented = customerConsented ?? others.customerConsented
        merged.deliveryStatus = deliveryStatus ?? others.deliveryStatus
        merged.sampleContentProvided = sampleContentProvided ?? others.sampleContentProvided
        merged.consumptionPercentage = consumptionPercentage ?? others.consumptionPercentage
        merged.consumptionStatus = consumptionStatus ?? others.consumptionStatus
        merged.platform = platform ?? others.platform
        merged.accountTenureDays = accountTenureDays ?? others.accountTenureDays
        merged.playTimeMinutes = playTimeMinutes ?? others.playTimeMinutes
        merged.lifetimePurchasedCents = lifetimePurchasedCents ?? others.lifetimePurchasedCents
        merged.lifetimeRefundedCents = lifetimeRefundedCents ?? others.lifetimeRefundedCents
        merged.userStatus = userStatus ?? others.userStatus
        merged.outcome = outcome ?? others.outcome
        return merged
    }
}
