package import AppStoreModel
internal import JSON

/// What Apple said about the transaction behind a grant, beside what decides about it.
///
/// Of the transaction that Apple spoke of last everything is known; of the others their dates, because no more of them
/// is kept (``FactsBounds``).
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
    /// Number of the period inside a commitment, from 1.
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
        if let latest = purchase.latestTransaction { add(latest, of: transaction) }
    }

    private mutating func add(_ latest: TransactionDetails, of transaction: TransactionFacts) {
        guard latest.version.signedDate == transaction.version.signedDate, let content = latest.content,
            content.transactionId == transaction.transactionId
        else { return }
        originalPurchaseDate = content.originalPurchaseDate
        offerType = content.offerType
        offerIdentifier = content.offerIdentifier
        offerDiscountType = content.offerDiscountType
        price = content.price
        currency = content.currency
        billingPeriodNumber = content.billingPeriodNumber
        if revocationDate != nil { revocationReason = content.revocationReason }
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
