package import AppStoreModel

/// The input to the rules for one refund case, as signed by Apple. Data that Apple omitted is nil, and a condition on
/// it never holds.
package struct RefundFacts: Hashable, Sendable {
    package var environment: AppStoreEnvironment
    package var bundleId: BundleId
    /// The transaction for which the customer requests a refund; it is the key of the case.
    package var transactionId: TransactionId
    package var originalTransactionId: OriginalTransactionId?
    package var productId: ProductId?
    package var productType: ProductType?
    /// In milliunits of the currency, for the entire quantity.
    package var price: Int64?
    /// An ISO 4217 currency code.
    package var currency: String?
    package var quantity: Int32?
    package var purchaseDate: AppStoreInstant?
    /// Present only for auto-renewable subscriptions.
    package var expiresDate: AppStoreInstant?
    package var inAppOwnershipType: InAppOwnershipType?
    /// An ISO 3166-1 alpha-3 country code.
    package var storefront: String?
    package var offerType: OfferType?
    package var offerDiscountType: OfferDiscountType?
    package var transactionReason: TransactionReason?
    package var consumptionRequestReason: ConsumptionRequestReason?
    /// When the first request of the round was received. It is used as the current time when computing the age of the
    /// purchase, so that repeating a decision gives the same result.
    package var requestedAt: AppStoreInstant
    package var appAccountToken: AppAccountToken?
    package var appTransactionId: AppTransactionId?
    /// When attempts to answer end.
    package var deadline: AppStoreInstant?
    /// Number of rounds of requests about the transaction, including the current one.
    package var round: Int64 = 1
    /// Whether the transaction has advancedCommerceInfo.
    package var isAdvancedCommerce: Bool
    /// Number of the customer's other transactions that were refunded; nil if the customer is unknown.
    package var earlierRefunds: Int64?
    /// Number of the customer's other transactions with a refund request; nil if the customer is unknown.
    package var earlierRequests: Int64?
    /// Number of earlier rounds about this transaction.
    package var earlierRequestsOfTransaction: Int64 = 0
    /// When a parent or guardian withdrew consent to the child's use of the app (RESCIND_CONSENT), on Apple's clock.
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

    /// Age of the purchase at the time of the request, in milliseconds; 0 if the purchase is dated later.
    package var ageMilliseconds: Int64? { purchaseDate.map { max(0, $0.milliseconds(to: requestedAt)) } }

    /// Share of the subscription period that had elapsed at the time of the request, in milliunits of a percent; nil if
    /// there is no period.
    package var elapsed: Int64? {
        guard let purchaseDate, let expiresDate, purchaseDate < expiresDate else { return nil }
        let whole = Double(purchaseDate.milliseconds(to: expiresDate))
        let over = Double(purchaseDate.milliseconds(to: requestedAt))
        return Int64(min(max(over / whole, 0), 1) * 100_000)
    }
}
