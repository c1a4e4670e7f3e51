internal import AppStoreModel

/// The renewal data of one subscription in a receipt (Apple: an element of `pending_renewal_info`).
struct LegacyRenewal: Sendable {
    let productId: ProductId?
    let autoRenewProductId: ProductId?
    let autoRenewStatus: Bool?
    let expirationIntent: Int32?
    let isInBillingRetryPeriod: Bool?
    /// The retry flag as sent.
    let billingRetryText: String?
    let gracePeriodExpiresDate: AppStoreInstant?
    /// The `price_consent_status` or, if absent, the `price_increase_status`.
    let priceIncreaseStatus: Int32?
    /// The `price_consent_status` as sent.
    let priceConsentText: String?
    let offer: LegacyOffer?
    let ignoredFields: Int

    init(_ element: LegacyObject) throws(LegacyError) {
        var object = element
        productId = try object.identifier("product_id")
        autoRenewProductId = try object.identifier("auto_renew_product_id")
        autoRenewStatus = object.flag("auto_renew_status")
        expirationIntent = object.int32("expiration_intent")
        isInBillingRetryPeriod = object.flag("is_in_billing_retry_period")
        billingRetryText = object.spelling("is_in_billing_retry_period")
        gracePeriodExpiresDate = object.date(.gracePeriodExpires)
        priceIncreaseStatus = object.int32("price_consent_status") ?? object.int32("price_increase_status")
        priceConsentText = object.spelling("price_consent_status")
        offer = try LegacyOffer(named: object)
        ignoredFields = object.ignoredFields
    }

    /// Finds the renewal for the subject's purchase: the one for the subject's product or, if there is none, the
    /// purchase's first one. Returns nil if the purchase has no renewal.
    static func find(
        of subject: LegacySubject, in receipt: LegacyReceipt
    ) throws(LegacyError) -> LegacyRenewal? {
        let productId = try subject.transaction.productId()
        var first: LegacyObject?
        for renewal in receipt.renewals {
            let id: OriginalTransactionId? = try renewal.number("original_transaction_id")
            guard id == subject.transaction.originalTransactionId else { continue }
            if try renewal.identifier("product_id") == productId { return try LegacyRenewal(renewal) }
            first = first ?? renewal
        }
        guard let first else { return nil }
        return try LegacyRenewal(first)
    }
}
