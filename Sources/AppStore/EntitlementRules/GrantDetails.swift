package import AppStoreModel
internal import JSON

/// Members of the granting transaction that do not affect access.
package struct GrantDetails: Hashable, Sendable {
    package var purchaseDate: AppStoreInstant?
    package var originalPurchaseDate: AppStoreInstant?
    package var expiresDate: AppStoreInstant?
    package var offerType: OfferType?
    package var offerIdentifier: String?
    package var offerDiscountType: OfferDiscountType?
    /// The price in milliunits of the currency.
    package var price: Int64?
    package var currency: String?
    /// The time when the transaction, or the items that grant the entitlement, were refunded or revoked. Nil if that
    /// had not happened by the time of the answer.
    package var revocationDate: AppStoreInstant?
    package var revocationReason: RevocationReason?

    package var billingPlanType: BillingPlanType?
    /// The number of the period within a commitment, starting at 1. Available only for the newest transaction.
    package var billingPeriodNumber: Int32?
    /// The end of the commitment. Access depends on the periods, not on this date.
    package var commitmentExpiresDate: AppStoreInstant?

    package init() {}

    /// - Parameters:
    ///   - transaction: a transaction of the purchase.
    ///   - instant: the time of the answer; a later revocation is omitted.
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
