package import AppStoreModel

/// What a rule may ask about one refund case, as Apple signed it. What Apple left out is nil, and no condition on it holds.
package struct RefundFacts: Hashable, Sendable {
    package var environment: AppStoreEnvironment
    package var bundleId: BundleId
    /// The transaction that the customer wants refunded; the case's key.
    package var transactionId: TransactionId
    package var originalTransactionId: OriginalTransactionId?
    package var productId: ProductId?
    package var productType: ProductType?
    /// Milliunits of the currency, for the whole quantity.
    package var price: Int64?
    /// ISO 4217.
    package var currency: String?
    package var quantity: Int32?
    package var purchaseDate: AppStoreInstant?
    /// Auto-renewable subscriptions only.
    package var expiresDate: AppStoreInstant?
    package var inAppOwnershipType: InAppOwnershipType?
    /// ISO 3166-1 alpha-3.
    package var storefront: String?
    package var offerType: OfferType?
    package var offerDiscountType: OfferDiscountType?
    package var transactionReason: TransactionReason?
    package var consumptionRequestReason: ConsumptionRequestReason?
    /// When the first request of the round was received: "now" for the age of the purchase, so that a decision that is
    /// made again is the same.
    package var requestedAt: AppStoreInstant
    package var appAccountToken: AppAccountToken?
    package var appTransactionId: AppTransactionId?
    /// Until when an answer is tried.
    package var deadline: AppStoreInstant?
    /// Rounds of requests about the transaction, this one included.
    package var round: Int64 = 1
    /// Whether the transaction has advancedCommerceInfo.
    package var isAdvancedCommerce: Bool
    /// Other transactions of the customer that are refunded; nil where the customer is unknown.
    package var earlierRefunds: Int64?
    /// Other transactions of the customer that a refund was asked for; nil where the customer is unknown.
    package var earlierRequests: Int64?
    /// Earlier rounds of this transaction.
    package var earlierRequestsOfTransaction: Int64 = 0
    /// When a parent or guardian revoked the child's use of the app (RESCIND_CONSENT), by Apple's clock.
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

    /// How old the purchase was at the request, in milliseconds; 0 for one that is dated later.
    package var ageMilliseconds: Int64? { purchaseDate.map { max(0, $0.milliseconds(to: requestedAt)) } }

    /// The share of the subscription's period that was over at the request, in milliunits of a percent; nil without a
    /// period.
    package var elapsed: Int64? {
        guard let purchaseDate, let expiresDate, purchaseDate < expiresDate else { return nil }
        let whole = Double(purchaseDate.milliseconds(to: expiresDate))
        let over = Double(purchaseDate.milliseconds(to: requestedAt))
        return Int64(min(max(over / whole, 0), 1) * 100_000)
    }
}
