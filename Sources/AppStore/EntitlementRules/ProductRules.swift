package import AppStoreModel

/// The entitlements that a product grants. They are configured by the app, not by Apple.
package struct ProductRule: Hashable, Sendable {
    /// How multiple transactions for a non-renewing product combine.
    package enum Accumulation: String, Sendable, CaseIterable {
        /// Each transaction begins when the previous one ends.
        case extend
        /// Each transaction begins at its purchaseDate.
        case overlap
    }

    /// The names of the entitlements granted to the holder.
    package var entitlements: [String]
    /// The number of units to credit for each consumable purchased.
    package var units: Int64
    /// The length of a non-renewing subscription in days, or nil if not configured.
    package var lengthDays: Int64?
    package var accumulation: Accumulation
    /// The names of the entitlements granted to the holder of an Advanced Commerce item, by SKU. An SKU without a rule
    /// grants `entitlements`.
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

    /// The length in milliseconds, or nil if it is not configured, is not positive, or overflows.
    var lengthMilliseconds: Int64? {
        guard let lengthDays, lengthDays > 0 else { return nil }
        let (milliseconds, overflow) = lengthDays.multipliedReportingOverflow(by: 86_400_000)
        return overflow ? nil : milliseconds
    }
}

/// The rules for all products. A product without a rule grants one entitlement named after the product.
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
