package import AppStoreModel

/// The input to the rules for a refund case, mainly from Apple. Data that Apple omitted is nil, and a condition that
/// requires it is not met.
package struct RefundFacts: Hashable, Sendable {
    package var environment: AppStoreEnvironment
    package var bundleId: BundleId
    /// The transaction for which the customer requests a refund. It is the key of the case.
    package var transactionId: TransactionId
    package var originalTransactionId: OriginalTransactionId?
    package var productId: ProductId?
    package var productType: ProductType?
    /// The price in milliunits of the currency, for the entire quantity.
    package var price: Int64?
    /// The ISO 4217 currency code.
    package var currency: String?
    package var quantity: Int32?
    package var purchaseDate: AppStoreInstant?
    /// The end of the period. Present only for auto-renewable subscriptions.
    package var expiresDate: AppStoreInstant?
    package var inAppOwnershipType: InAppOwnershipType?
    /// The storefront as an ISO 3166-1 alpha-3 country code.
    package var storefront: String?
    package var offerType: OfferType?
    package var offerDiscountType: OfferDiscountType?
    package var transactionReason: TransactionReason?
    package var consumptionRequestReason: ConsumptionRequestReason?
    /// The time when the first request of the round was received. The age of the purchase is computed at this time
    /// rather than the current time, so that repeating a decision gives the same result.
    package var requestedAt: AppStoreInstant
    package var appAccountToken: AppAccountToken?
    package var appTransactionId: AppTransactionId?
    /// The time when attempts to answer end.
    package var deadline: AppStoreInstant?
    /// The number of rounds of requests about the transaction, including the current one.
    package var round: Int64 = 1
    /// Whether the transaction has advancedCommerceInfo.
    package var isAdvancedCommerce: Bool
    /// The number of the customer's other transactions that were refunded, or nil if the customer is unknown.
    package var earlierRefunds: Int64?
    /// The number of the customer's other transactions with a refund request, or nil if the customer is unknown.
    package var earlierRequests: Int64?
    /// The number of earlier rounds about this transaction.
    package var earlierRequestsOfTransaction: Int64 = 0
    /// The time, on Apple's clock, when a parent or guardian withdrew consent to the child's use of the app
    /// (RESCIND_CONSENT).
    package var consentRescindedAt: AppStoreInstant?

    package init(
        environment: AppStoreEnvironment, bundleId: BundleId, transactionId: TransactionId,
        requestedAt: AppStoreInstant, isAdvancedCommerce: Bool = false
    ) {
        self.environment = environment
        self.bundleId = bundleId
        self.transactionId = transactionId
        self.requestedAt = requestedAt
        self.isAdvancedCommerce = isAdvancedCommerce
    }

    /// The age of the purchase at the time of the request, in milliseconds; 0 if the purchase is dated later.
    package var ageMilliseconds: Int64? { purchaseDate.map { max(0, $0.milliseconds(to: requestedAt)) } }

    /// The share of the subscription period that had elapsed at the time of the request, in thousandths of a percent,
    /// or nil if there is no period.
    package var elapsed: Int64? {
        guard let purchaseDate, let expiresDate, purchaseDate < expiresDate else { return nil }
        let whole = Double(purchaseDate.milliseconds(to: expiresDate))
        let over = Double(purchaseDate.milliseconds(to: requestedAt))
        return Int64(min(max(over / whole, 0), 1) * 100_000)
    }
}
