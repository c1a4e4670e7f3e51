public import JSON

/// The next renewal of a subscription (Apple: JWSRenewalInfoDecodedPayload). Renewal info has no bundleId.
public struct RenewalInfoPayload: Hashable, Sendable {
    public var originalTransactionId: OriginalTransactionId?
    /// The product of the current or last period.
    public var productId: ProductId?
    /// The product for the next renewal. If it differs from `productId`, a change is pending.
    public var autoRenewProductId: ProductId?
    public var autoRenewStatus: AutoRenewStatus?
    public var isInBillingRetryPeriod: Bool?
    /// The end of the billing grace period. Service must continue until then.
    public var gracePeriodExpiresDate: AppStoreInstant?
    public var expirationIntent: ExpirationIntent?
    public var priceIncreaseStatus: PriceIncreaseStatus?
    /// The time when the most recent purchase expires.
    public var renewalDate: AppStoreInstant?
    /// The price of the next renewal in milliunits of the currency.
    public var renewalPrice: Int64?
    /// The ISO 4217 currency code.
    public var currency: String?
    public var offerType: OfferType?
    public var offerIdentifier: String?
    public var offerDiscountType: OfferDiscountType?
    /// The offer duration in ISO 8601 format.
    public var offerPeriod: String?
    /// The identifiers of win-back offers, best first.
    public var eligibleWinBackOfferIds: [String]?
    /// The start of the latest continuous period of paid service. Gaps shorter than 60 days are ignored.
    public var recentSubscriptionStartDate: AppStoreInstant?
    public var signedDate: AppStoreInstant?
    public var environment: AppStoreEnvironment?
    public var appAccountToken: AppAccountToken?
    public var appTransactionId: AppTransactionId?
    public var advancedCommerceInfo: AdvancedCommerceRenewalInfo?
    public var commitmentInfo: RenewalCommitmentInfo?
    public var renewalBillingPlanType: BillingPlanType?
    /// The number of seats at the next renewal.
    public var renewalQuantity: Int32?
    public var multiSeatInfo: RenewalMultiSeatInfo?
    /// Unknown fields, as received.
    public var unknownFields: JSONObject
    /// Malformed fields, treated as absent, in this object and its nested objects.
    public var fieldProblems: [FieldProblem]

    /// Reads a scanned payload.
    public init(_ element: JSONElement) {
        var fields = FieldReader(element)
        self.init(reading: &fields)
    }

    /// Parses the JSON text of a payload, which must be an object.
    public init(json: [UInt8]) throws(JSONError) { self.init(try JSONDocument.object(json).root) }
}

extension RenewalInfoPayload: PayloadObject {
    init(reading fields: inout FieldReader) {
        originalTransactionId = fields.identifier("originalTransactionId")
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
        offerDiscountType = fields.enumeration("offerDiscountType")
        offerPeriod = fields.string("offerPeriod")
        eligibleWinBackOfferIds = fields.strings("eligibleWinBackOfferIds")
        recentSubscriptionStartDate = fields.instant("recentSubscriptionStartDate")
        signedDate = fields.instant("signedDate")
        environment = fields.enumeration("environment")
        appAccountToken = fields.identifier("appAccountToken")
        appTransactionId = fields.identifier("appTransactionId")
        advancedCommerceInfo = fields.object("advancedCommerceInfo")
        commitmentInfo = fields.object("commitmentInfo")
        renewalBillingPlanType = fields.enumeration("renewalBillingPlanType")
        renewalQuantity = fields.int32("renewalQuantity")
        multiSeatInfo = fields.object("multiSeatInfo")
        unknownFields = fields.unknownFields
        fieldProblems = fields.problems
    }
}
