package import AppStoreModel
internal import JSON

/// What Apple said about the transaction behind a grant, beside what decides about it.
package struct GrantDetails: Hashable, Sendable {
    package var purchaseDate: AppStoreInstant?
    package var originalPurchaseDate: AppStoreInstant?
    package var expiresDate: AppStoreInstant?
    package var offerType: OfferType?
    package var offerIdentifier: String?
    package var offerDiscountType: OfferDiscountType?
    /// Milliunits of the currency.
    package var price: Int64?
    package var currency: String?
    /// When it was refunded, or taken from a family member.
    package var revocationDate: AppStoreInstant?
    package var revocationReason: RevocationReason?

    package var billingPlanType: BillingPlanType?
    /// Number of the period inside a commitment, from 1; known of the transaction that Apple spoke of last.
    package var billingPeriodNumber: Int32?
    /// End of the commitment. Access follows the periods, not this date.
    package var commitmentExpiresDate: AppStoreInstant?

    package init() {}

    /// - Parameters:
    ///   - transaction: one of the purchase's.
    ///   - instant: a revocation that comes later is left out.
    init(of transaction: TransactionFacts, in purchase: PurchaseFacts, at instant: AppStoreInstant) {
        purchaseDate = transaction.start == .earliest ? nil : transaction.start
        expiresDate = transaction.expiresDate
        billingPlanType = transaction.billingPlanType
        commitmentExpiresDate = transaction.commitmentExpiresDate
        revocationDate = transaction.isRevoked(at: instant) ? transaction.revocationDate : nil
        if revocationDate != nil { revocationReason = transaction.traits.revocationReason }
        originalPurchaseDate = transaction.traits.originalPurchaseDate
        offerType = transaction.traits.offerType
        offerIdentifier = transaction.traits.offerIdentifier
        offerDiscountType = transaction.traits.offerDiscountType
        price = transaction.traits.price
        currency = transaction.traits.currency
        if let latest = purchase.latestTransaction, latest.hasBillingPeriod, let content = latest.content,
            content.transactionId == transaction.transactionId
        {
            billingPeriodNumber = content.billingPeriodNumber
        }
    }

    func write(to object: inout JSONWriter) {
        object.set("purchaseDate", purchaseDate)
        object.set("originalPurchaseDate", originalPurchaseDate)
        object.set("expiresDate", expiresDate)
        object.set("offerType", offerType)
        object.set("offerIdentifier", offerIdentifier)
        object.set("offerDiscountType", offerDiscountType)
        object.set("price", price)
        object.set("currency", currency)
        object.set("revocationDate", revocationDate)
        object.set("revocationReason", revocationReason)
        object.set("billingPlanType", billingPlanType)
        object.set("billingPeriodNumber", billingPeriodNumber)
        object.set("commitmentExpiresDate", commitmentExpiresDate)
    }
}
