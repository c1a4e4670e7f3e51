internal import AppStoreModel

/// An app's product, as App Store Connect would describe it.
package struct Product: Sendable, Equatable {
    /// The kind of product, with Apple's `type` as raw value.
    package enum Kind: String, Sendable {
        case autoRenewable = "Auto-Renewable Subscription"
        case nonConsumable = "Non-Consumable"
        case consumable = "Consumable"
        case nonRenewing = "Non-Renewing Subscription"
    }

    let kind: Kind
    /// The part of the `productId` after the bundle id.
    let suffix: String
    /// The price in milliunits of the US dollar.
    let price: Int64
    /// The length of one period, or zero for all products other than auto-renewable subscriptions.
    var period = Duration.zero
    /// The number of periods that the customer commits to and pays for one at a time, or 0 without a commitment.
    var committedPeriods: Int64 = 0
    /// Whether the product is sold in seats. If so, the quantity of a transaction is the number of seats.
    var isMultiSeat = false
    /// Whether the product is managed through the Advanced Commerce API.
    var isAdvancedCommerce = false

    func productId(in bundleId: BundleId) -> String { bundleId.rawValue + "." + suffix }
}

/// The products of the simulated apps.
extension Product {
    static let basicMonthly = Product(kind: .autoRenewable, suffix: "basic.monthly", price: 4990, period: .month)
    static let premiumMonthly = Product(kind: .autoRenewable, suffix: "premium.monthly", price: 9990, period: .month)
    static let premiumYearly = Product(kind: .autoRenewable, suffix: "premium.yearly", price: 99990, period: .year)
    static let premiumCommitted = Product(
        kind: .autoRenewable, suffix: "premium.committed", price: 7990, period: .month, committedPeriods: 12)
    static let teamMonthly = Product(
        kind: .autoRenewable, suffix: "team.monthly", price: 5990, period: .month, isMultiSeat: true)
    static let bundleMonthly = Product(
        kind: .autoRenewable, suffix: "bundle.monthly", price: 14990, period: .month, isAdvancedCommerce: true)
    static let coins = Product(kind: .consumable, suffix: "coins.100", price: 1990)
    static let lifetime = Product(kind: .nonConsumable, suffix: "lifetime", price: 149_990)
    static let seasonPass = Product(kind: .nonRenewing, suffix: "season.pass", price: 19990)
}
