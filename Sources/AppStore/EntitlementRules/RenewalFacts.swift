package import AppStoreModel
package import JSON

/// Apple's latest statement about a subscription's renewal.
package typealias RenewalFacts = Facts<RenewalContent>

/// The content of ``RenewalFacts``.
package struct RenewalContent: FactsContent {
    package var version: FactVersion
    package var productId: ProductId?
    package var autoRenewProductId: ProductId?
    package var autoRenewStatus: AutoRenewStatus?
    package var isInBillingRetryPeriod: Bool?
    package var gracePeriodExpiresDate: AppStoreInstant?
    package var expirationIntent: ExpirationIntent?
    package var priceIncreaseStatus: PriceIncreaseStatus?
    package var renewalDate: AppStoreInstant?
    /// The price of the next renewal in milliunits of the currency.
    package var renewalPrice: Int64?
    package var currency: String?
    package var offerType: OfferType?
    package var offerIdentifier: String?
    package var recentSubscriptionStartDate: AppStoreInstant?
    package var appAccountToken: AppAccountToken?
    package var appTransactionId: AppTransactionId?
    package var renewalQuantity: Int32?
    /// The product that follows the commitment.
    package var commitmentAutoRenewProductId: ProductId?
    /// Whether a commitment renews when it ends.
    package var commitmentAutoRenewStatus: AutoRenewStatus?
    /// Members written by a later version of this library.
    package var unknownFields = JSONObject()

    package init(version: FactVersion) { self.version = version }

    fileprivate init(_ payload: RenewalInfoPayload, fallback: FactVersion) {
        var version = fallback
        if let signedDate = payload.signedDate { version.signedDate = signedDate }
        self.init(version: version)
        productId = payload.productId
        autoRenewProductId = payload.autoRenewProductId
        autoRenewStatus = payload.autoRenewStatus
        isInBillingRetryPeriod = payload.isInBillingRetryPeriod
        gracePeriodExpiresDate = payload.gracePeriodExpiresDate
        expirationIntent = payload.expirationIntent
        priceIncreaseStatus = payload.priceIncreaseStatus
        renewalDate = payload.renewalDate
        renewalPrice = payload.renewalPrice
        currency = payload.currency.flatMap(FactsBounds.text)
        offerType = payload.offerType
        offerIdentifier = payload.offerIdentifier.flatMap(FactsBounds.text)
        recentSubscriptionStartDate = payload.recentSubscriptionStartDate
        appAccountToken = payload.appAccountToken
        appTransactionId = payload.appTransactionId
        renewalQuantity = payload.renewalQuantity
        commitmentAutoRenewProductId = payload.commitmentInfo?.commitmentAutoRenewProductId
        commitmentAutoRenewStatus = payload.commitmentInfo?.commitmentAutoRenewStatus
    }

    package func write(to object: inout JSONWriter) {
        object.set("productId", productId)
        object.set("autoRenewProductId", autoRenewProductId)
        object.set("autoRenewStatus", autoRenewStatus)
        object.set("isInBillingRetryPeriod", isInBillingRetryPeriod)
        object.set("gracePeriodExpiresDate", gracePeriodExpiresDate)
        object.set("expirationIntent", expirationIntent)
        object.set("priceIncreaseStatus", priceIncreaseStatus)
        object.set("renewalDate", renewalDate)
        object.set("renewalPrice", renewalPrice)
        object.set("currency", currency)
        object.set("offerType", offerType)
        object.set("offerIdentifier", offerIdentifier)
        object.set("recentSubscriptionStartDate", recentSubscriptionStartDate)
        object.set("appAccountToken", appAccountToken)
        object.set("appTransactionId", appTransactionId)
        object.set("renewalQuantity", renewalQuantity)
        object.set("commitmentAutoRenewProductId", commitmentAutoRenewProductId)
        object.set("commitmentAutoRenewStatus", commitmentAutoRenewStatus)
        object.set(version)
        object.add(unknownFields)
    }

    package init?(_ element: JSONElement) {
        var fields = FieldReader(element)
        guard let version = fields.version() else { return nil }
        self.init(version: version)
        productId = fields.identifier("productId")
        autoRenewProductId = fields.identifier("autoRenewProductId")
        autoRenewStatus = fields.enumeration("autoRenewStatus")
        isInBillingRetryPeriod = fields.bool("isInBillingRetryPeriod")
        gracePeriodExpiresDate = fields.instant("gracePeriodExpiresDate")
        expirationIntent = fields.enumeration("expirationIntent")
        priceIncreaseStatus = fields.enumeration("priceIncreaseStatus")
        renewalDate = fields.instant("renewalDate")
        renewalPrice = fields.int64("renewalPrice")
        currency = fields.string("currency")
        offerType = fields.enumeration("offerType")
        offerIdentifier = fields.string("offerIdentifier")
        recentSubscriptionStartDate = fields.instant("recentSubscriptionStartDate")
        appAccountToken = fields.identifier("appAccountToken")
        appTransactionId = fields.identifier("appTransactionId")
        renewalQuantity = fields.int32("renewalQuantity")
        commitmentAutoRenewProductId = fields.identifier("commitmentAutoRenewProductId")
        commitmentAutoRenewStatus = fields.enumeration("commitmentAutoRenewStatus")
        unknownFields = FactsBounds.members(fields.unknownFields)
    }
}

extension RenewalFacts {
    package init(version: FactVersion) { self.init(RenewalContent(version: version)) }

    /// Creates facts from renewal info. Their version is `fallback`, the version of the notification that delivered the
    /// renewal info, but with the signedDate of the renewal info, if present.
    package init(_ payload: RenewalInfoPayload, fallback: FactVersion) {
        self = Facts(RenewalContent(payload, fallback: fallback)).written
    }

    /// - Parameter keepsText: whether to keep the text instead of parsing it now. Use this only for text that this
    ///   library wrote.
    init?(_ element: JSONElement, keepsText: Bool) {
        if keepsText {
            self.init(unread: element)
        } else if let content = RenewalContent(element) {
            self.init(content)
        } else {
            return nil
        }
    }
}
