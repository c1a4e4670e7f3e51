public import JSON

/// A purchase, restore or renewal (Apple: JWSTransactionDecodedPayload).
public struct TransactionPayload: Hashable, Sendable {
    public var transactionId: TransactionId?
    /// The ID of the first transaction of the purchase.
    public var originalTransactionId: OriginalTransactionId?
    public var webOrderLineItemId: WebOrderLineItemId?
    public var bundleId: BundleId?
    public var productId: ProductId?
    public var subscriptionGroupIdentifier: SubscriptionGroupIdentifier?
    /// The time when the customer was charged or the subscription renewed.
    public var purchaseDate: AppStoreInstant?
    /// The purchase time of the original transaction.
    public var originalPurchaseDate: AppStoreInstant?
    /// The time when the subscription expires or renews. Present only for auto-renewable subscriptions.
    public var expiresDate: AppStoreInstant?
    /// The quantity as sent, without validation. See `PurchaseFacts` for the effective quantity.
    public var quantity: Int32?
    public var type: ProductType?
    public var appAccountToken: AppAccountToken?
    public var inAppOwnershipType: InAppOwnershipType?
    public var signedDate: AppStoreInstant?
    public var revocationReason: RevocationReason?
    public var revocationDate: AppStoreInstant?
    public var revocationType: RevocationType?
    /// The refunded or revoked share, in thousandths of a percent: 100000 means 100%.
    public var revocationPercentage: Int32?
    /// Whether an upgrade replaced this transaction. Apple sends only true.
    public var isUpgraded: Bool?
    public var offerType: OfferType?
    public var offerIdentifier: String?
    public var offerDiscountType: OfferDiscountType?
    /// The offer duration in ISO 8601 format.
    public var offerPeriod: String?
    public var environment: AppStoreEnvironment?
    public var transactionReason: TransactionReason?
    public var additionalTransactionReason: AdditionalTransactionReason?
    /// The storefront as an alpha-3 country code.
    public var storefront: String?
    public var storefrontId: String?
    /// The price in milliunits of the currency.
    public var price: Int64?
    /// The ISO 4217 currency code.
    public var currency: String?
    public var appTransactionId: AppTransactionId?
    /// The originalTransactionId of the purchase that this one continues after the migration to Advanced Commerce.
    public var previousOriginalTransactionId: OriginalTransactionId?
    public var advancedCommerceInfo: AdvancedCommerceTransactionInfo?
    public var billingPlanType: BillingPlanType?
    public var commitmentInfo: TransactionCommitmentInfo?
    public var multiSeatInfo: TransactionMultiSeatInfo?
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

extension TransactionPayload: PayloadObject {
    init(reading fields: inout FieldReader) {
        transactionId = fields.identifier("transactionId")
        originalTransactionId = fields.identifier("originalTransactionId")
        webOrderLineItemId = fields.identifier("webOrderLineItemId")
        bundleId = fields.identifier("bundleId")
        productId = fields.identifier("productId")
        subscriptionGroupIdentifier = fields.identifier("subscriptionGroupIdentifier")
        purchaseDate = fields.instant("purchaseDate")
        originalPurchaseDate = fields.instant("originalPurchaseDate")
        expiresDate = fields.instant("expiresDate")
        quantity = fields.int32("quantity")
        type = fields.enumeration("type")
        appAccountToken = fields.identifier("appAccountToken")
        inAppOwnershipType = fields.enumeration("inAppOwnershipType")
        signedDate = fields.instant("signedDate")
        revocationReason = fields.enumeration("revocationReason")
        revocationDate = fields.instant("revocationDate")
        revocationType = fields.enumeration("revocationType")
        revocationPercentage = fields.int32("revocationPercentage")
        isUpgraded = fields.bool("isUpgraded")
        offerType = fields.enumeration("offerType")
        offerIdentifier = fields.string("offerIdentifier")
        offerDiscountType = fields.enumeration("offerDiscountType")
        offerPeriod = fields.string("offerPeriod")
        environment = fields.enumeration("environment")
        transactionReason = fields.enumeration("transactionReason")
        additionalTransactionReason = fields.enumeration("additionalTransactionReason")
        storefront = fields.string("storefront")
        storefrontId = fields.string("storefrontId")
        price = fields.int64("price")
        currency = fields.string("currency")
        appTransactionId = fields.identifier("appTransactionId")
        previousOriginalTransactionId = fields.identifier("previousOriginalTransactionId")
        advancedCommerceInfo = fields.object("advancedCommerceInfo")
        billingPlanType = fields.enumeration("billingPlanType")
        commitmentInfo = fields.object("commitmentInfo")
        multiSeatInfo = fields.object("multiSeatInfo")
        unknownFields = fields.unknownFields
        fieldProblems = fields.problems
    }
}
