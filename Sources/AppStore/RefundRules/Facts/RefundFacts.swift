package import AppStoreModel

/// The input of the rules for one refund case, as Apple signed it. Data that Apple omitted is nil, and no condition on
/// it holds.
package struct RefundFacts: Hashable, Sendable {
    package var environment: AppStoreEnvironment
    package var bundleId: BundleId
    /// The transaction for which the customer requests a refund; the case's key.
    package var transactionId: TransactionId
    package var originalTransactionId: OriginalTransactionId?
    package var productId: ProductId?
    package var productType: ProductType?
    /// Milliunits of the currency, for the whole quantity.
    package var price: Int64?
    /// ISO 4217 currency code.
    package var currency: String?
    package var quantity: Int32?
    package var purchaseDate: AppStoreInstant?
    /// Auto-renewable subscriptions only.
    package var expiresDate: AppStoreInstant?
    package var inAppOwnershipType: InAppOwnershipType?
    /// ISO 3166-1 alpha-3 country code.
    package var storefront: String?
    package var offerType: OfferType?
    package var offerDiscountType: OfferDiscountType?
    package var transactionReason: TransactionReason?
    package var consumptionRequestReason: ConsumptionRequestReason?
    /// When the first request of the round was received. It serves as the current time for the age of the purchase, so
    /// that repeating a decision gives the same result.
    package var requestedAt: AppStoreInstant
    package var appAccountToken: AppAccountToken?
    package var appTransactionId: AppTransactionId?
    /// End of the attempts to answer.
    package var deadline: AppStoreInstant?
    /// Number of rounds of requests about the transaction, including this one.
    package var round: Int64 = 1
    /// Whether the transaction has advancedCommerceInfo.
    package var isAdvancedCommerce: Bool
    /// Number of the customer's other transactions that are refunded; nil if the customer is unknown.
    package var earlierRefunds: Int64?
    /// Number of the customer's other transactions with a refund request; nil if the customer is unknown.
    package var earlierRequests: Int64?
    /// Number of earlier rounds of this transaction.
    package var earlierRequestsOfTransaction: Int64 = 0
    /// When a parent or guardian revoked the child's use of the app (RESCIND_CONSENT), on Apple's clock.
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

    /// Age of the purchase at the request, in milliseconds; 0 if the purchase is dated later.
    package var ageMilliseconds: Int64? { purchaseDate.map { max(0, $0.milliseconds(to: requestedAt)) } }

    /// Share of the subscription's period elapsed at the request, in milliunits of a percent; nil without a period.
    package var elapsed: Int64? {
        guard let purchaseDate, let expiresDate, purchaseDate < expiresDate else { return nil }
        let whole = Double(purchaseDate.milliseconds(to: expiresDate))
        let over = Double(purchaseDate.milliseconds(to: requestedAt))
        return Int64(min(max(over / whole, 0), 1) * 100_000)
    }
}
