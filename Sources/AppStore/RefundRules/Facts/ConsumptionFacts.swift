/// The company's data about one purchase and the customer who made it. Nil means unknown, never false or zero.
package struct ConsumptionFacts: Hashable, Sendable {
    /// Whether the customer has consented to sharing this data with Apple. Only true counts as consent.
    package var customerConsented: Bool?
    package var deliveryStatus: DeliveryStatus?
    /// Whether a sample, trial or description was available before the purchase.
    package var sampleContentProvided: Bool?
    /// In milliunits of a percent: 100000 means everything.
    package var consumptionPercentage: Int64?

    // Members used only in the version 1 body.

    package var consumptionStatus: ConsumptionStatus?
    package var platform: ConsumptionPlatform?
    /// Number of whole days since the account was created.
    package var accountTenureDays: Int64?
    /// Number of whole minutes during which the customer used the app.
    package var playTimeMinutes: Int64?
    /// In cents of US dollars, over all platforms.
    package var lifetimePurchasedCents: Int64?
    /// In cents of US dollars, over all platforms.
    package var lifetimeRefundedCents: Int64?
    package var userStatus: UserStatus?

    /// An outcome that the company's service chose; it replaces the outcome of the rules.
    package var outcome: RefundOutcome?

    package init() {}

    /// Returns these facts, with missing facts taken from `others`.
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
