public import JSON

/// The app and the purchase that a notification is about (Apple: data).
public struct NotificationData: Hashable, Sendable {
    public var environment: AppStoreEnvironment?
    public var appAppleId: AppAppleId?
    public var bundleId: BundleId?
    public var bundleVersion: String?
    /// The transaction as a compact JWS. Omitted in records, which contain the decoded transaction.
    public var signedTransactionInfo: String?
    /// The renewal info as a compact JWS. Omitted in records, which contain the decoded renewal info.
    public var signedRenewalInfo: String?
    /// The status at the notification's signedDate. Present only for auto-renewable subscriptions.
    public var status: SubscriptionStatus?
    /// Present only for `CONSUMPTION_REQUEST`.
    public var consumptionRequestReason: ConsumptionRequestReason?
    /// Unknown fields, as received.
    public var unknownFields: JSONObject
}

extension NotificationData: PayloadObject {
    init(reading fields: inout FieldReader) {
        environment = fields.enumeration("environment")
        appAppleId = fields.appAppleId("appAppleId")
        bundleId = fields.identifier("bundleId")
        bundleVersion = fields.string("bundleVersion")
        signedTransactionInfo = fields.string("signedTransactionInfo")
        signedRenewalInfo = fields.string("signedRenewalInfo")
        status = fields.enumeration("status")
        consumptionRequestReason = fields.enumeration("consumptionRequestReason")
        unknownFields = fields.unknownFields
    }
}

/// The outcome of a mass renewal-date extension (Apple: summary).
public struct NotificationSummary: Hashable, Sendable {
    public var environment: AppStoreEnvironment?
    public var appAppleId: AppAppleId?
    public var bundleId: BundleId?
    /// The product of the extended subscriptions.
    public var productId: ProductId?
    public var requestIdentifier: RequestIdentifier?
    /// The requested storefronts as alpha-3 codes. Absent or empty means all storefronts.
    public var storefrontCountryCodes: [String]?
    public var succeededCount: Int64?
    public var failedCount: Int64?
    /// Unknown fields, as received.
    public var unknownFields: JSONObject
}

extension NotificationSummary: PayloadObject {
    init(reading fields: inout FieldReader) {
        environment = fields.enumeration("environment")
        appAppleId = fields.appAppleId("appAppleId")
        bundleId = fields.identifier("bundleId")
        productId = fields.identifier("productId")
        requestIdentifier = fields.identifier("requestIdentifier")
        storefrontCountryCodes = fields.strings("storefrontCountryCodes")
        succeededCount = fields.int64("succeededCount")
        failedCount = fields.int64("failedCount")
        unknownFields = fields.unknownFields
    }
}

/// An external purchase token (Apple: externalPurchaseToken).
public struct ExternalPurchaseToken: Hashable, Sendable {
    /// The identifier of the token. Sandbox tokens have the prefix `SANDBOX`.
    public var externalPurchaseId: ExternalPurchaseId?
    public var tokenCreationDate: AppStoreInstant?
    public var appAppleId: AppAppleId?
    public var bundleId: BundleId?
    /// Present only in custom link tokens.
    public var tokenType: String?
    public var tokenExpirationDate: AppStoreInstant?
    /// Unknown fields, as received.
    public var unknownFields: JSONObject
}

extension ExternalPurchaseToken: PayloadObject {
    init(reading fields: inout FieldReader) {
        externalPurchaseId = fields.identifier("externalPurchaseId")
        tokenCreationDate = fields.instant("tokenCreationDate")
        appAppleId = fields.appAppleId("appAppleId")
        bundleId = fields.identifier("bundleId")
        tokenType = fields.string("tokenType")
        tokenExpirationDate = fields.instant("tokenExpirationDate")
        unknownFields = fields.unknownFields
    }
}

/// The app that the customer's consent applies to (Apple: appData).
public struct AppData: Hashable, Sendable {
    public var appAppleId: AppAppleId?
    public var bundleId: BundleId?
    public var environment: AppStoreEnvironment?
    /// The app transaction as a compact JWS. Omitted in records, which contain the decoded app transaction.
    public var signedAppTransactionInfo: String?
    /// Unknown fields, as received.
    public var unknownFields: JSONObject
}

extension AppData: PayloadObject {
    init(reading fields: inout FieldReader) {
        appAppleId = fields.appAppleId("appAppleId")
        bundleId = fields.identifier("bundleId")
        environment = fields.enumeration("environment")
        signedAppTransactionInfo = fields.string("signedAppTransactionInfo")
        unknownFields = fields.unknownFields
    }
}

/// Seats that the App Store unassigned in a group whose invitations the developer manages (Apple: unclaimInfo,
/// Notifications 2.23). Apple documents only `unclaimSeatIds`; the other names are assumed to match those in the other
/// containers.
public struct UnclaimInfo: Hashable, Sendable {
    public var appAppleId: AppAppleId?
    public var bundleId: BundleId?
    public var environment: AppStoreEnvironment?
    /// The UUIDs of the seats. Customers who hold these seats lose access.
    public var unclaimSeatIds: [String]?
    /// Unknown fields, as received.
    public var unknownFields: JSONObject
}

extension UnclaimInfo: PayloadObject {
    init(reading fields: inout FieldReader) {
        appAppleId = fields.appAppleId("appAppleId")
        bundleId = fields.identifier("bundleId")
        environment = fields.enumeration("environment")
        unclaimSeatIds = fields.strings("unclaimSeatIds")
        unknownFields = fields.unknownFields
    }
}
