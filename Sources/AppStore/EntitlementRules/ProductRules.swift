package import AppStoreModel

/// What a product gives: the part that the app decides and Apple does not know.
package struct ProductRule: Hashable, Sendable {
    /// How several transactions of one non-renewing product relate.
    package enum Accumulation: String, Sendable, CaseIterable {
        /// Each begins where the one before ends.
        case extend
        /// Each counts from its own transaction.
        case overlap
    }

    /// Names of what the holder may use.
    package var entitlements: [String]
    /// Consumables: units credited for each one bought.
    package var units: Int64
    /// Non-renewing subscriptions: length in days; nil while the app has not said.
    package var lengthDays: Int64?
    package var accumulation: Accumulation
    /// Advanced Commerce: names of what the holder of an item may use, by SKU. An SKU without a rule gives `entitlements`.
    package var skus: [String: [String]]

    package init(
        entitlements: [String], units: Int64 = 1, lengthDays: Int64? = nil, accumulation: Accumulation = .extend,
        skus: [String: [String]] = [:]
    ) {
        self.entitlements = entitlements
        self.units = units
        self.lengthDays = lengthDays
        self.accumulation = accumulation
        self.skus = skus
    }

    /// Length in milliseconds; nil if there is none, it is not positive, or it does not fit.
    var lengthMilliseconds: Int64? {
        guard let lengthDays, lengthDays > 0 else { return nil }
        let (milliseconds, overflow) = lengthDays.multipliedReportingOverflow(by: 86_400_000)
        return overflow ? nil : milliseconds
    }
}

/// The rules of all products. A product without a rule gives one entitlement of its own name.
package struct ProductRules: Hashable, Sendable {
    package var products: [ProductId: ProductRule]
    package var subscriptions: SubscriptionPolicy
    package var legacyTrust: LegacyTrustRules

    package init(
        products: [ProductId: ProductRule] = [:], subscriptions: SubscriptionPolicy = SubscriptionPolicy(),
        legacyTrust: LegacyTrustRules = LegacyTrustRules()
    ) {
        self.products = products
        self.subscriptions = subscriptions
        self.legacyTrust = legacyTrust
    }

    package func rule(for productId: ProductId) -> ProductRule {
        products[productId] ?? ProductRule(entitlements: [productId.rawValue])
    }
}
