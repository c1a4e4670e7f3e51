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
    /// Milliunits of the currency.
    package var price: Int64?
    /// ISO 4217.
    package var currency: String?
    package var quantity: Int32?
    package var purchaseDate: AppStoreInstant?
    /// Auto-renewable subscriptions only.
    package var expiresDate: AppStoreInstant?
    package var inAppOwnershipType: InAppOwnershipType?
    package var consumptionRequestReason: ConsumptionRequestReason?
    /// When the first request of the case was received: "now" for the age of the purchase, so that a decision that is
    /// made again is the same.
    package var requestedAt: AppStoreInstant
    package var appAccountToken: AppAccountToken?
    /// Whether the transaction has advancedCommerceInfo.
    package var isAdvancedCommerce: Bool
    /// How often the account was refunded before; nil where the account or its past is unknown.
    package var earlierRefunds: Int64?

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

    /// The facts of a verified transaction; nil where it does not name environment, app and transaction, without which
    /// there is no case.
    package init?(
        _ transaction: TransactionPayload, reason: ConsumptionRequestReason?, requestedAt: AppStoreInstant,
        earlierRefunds: Int64? = nil
    ) {
        guard let environment = transaction.environment, let bundleId = transaction.bundleId,
            let transactionId = transaction.transactionId
        else { return nil }
        self.init(
            environment: environment, bundleId: bundleId, transactionId: transactionId, requestedAt: requestedAt,
            isAdvancedCommerce: transaction.advancedCommerceInfo != nil)
        originalTransactionId = transaction.originalTransactionId
        productId = transaction.productId
        productType = transaction.type
        price = transaction.price
        currency = transaction.currency
        quantity = transaction.quantity
        purchaseDate = transaction.purchaseDate
        expiresDate = transaction.expiresDate
        inAppOwnershipType = transaction.inAppOwnershipType
        appAccountToken = transaction.appAccountToken
        consumptionRequestReason = reason
        self.earlierRefunds = earlierRefunds
    }

    /// How old the purchase was at the request, in milliseconds; 0 for one that is dated later.
    package var ageMilliseconds: Int64? { purchaseDate.map { max(0, $0.milliseconds(to: requestedAt)) } }
}
