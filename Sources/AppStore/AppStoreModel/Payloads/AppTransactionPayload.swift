public import JSON

/// A record of how a customer obtained an app (Apple: the decoded app transaction).
public struct AppTransactionPayload: Hashable, Sendable {
    /// The environment of the app transaction.
    public var receiptType: AppStoreEnvironment?
    public var appAppleId: AppAppleId?
    public var bundleId: BundleId?
    public var applicationVersion: String?
    /// The first version of the app that the customer downloaded.
    public var originalApplicationVersion: String?
    public var versionExternalIdentifier: Int64?
    /// The time when the payload was signed; the counterpart of `signedDate`.
    public var receiptCreationDate: AppStoreInstant?
    /// The time when the customer first downloaded the app.
    public var originalPurchaseDate: AppStoreInstant?
    public var preorderDate: AppStoreInstant?
    public var deviceVerification: String?
    public var deviceVerificationNonce: String?
    public var appTransactionId: AppTransactionId?
    /// The platform: `iOS`, `macOS`, `tvOS` or `visionOS`.
    public var originalPlatform: String?
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

extension AppTransactionPayload: PayloadObject {
    init(reading fields: inout FieldReader) {
        receiptType = fields.enumeration("receiptType")
        appAppleId = fields.appAppleId("appAppleId")
        bundleId = fields.identifier("bundleId")
        applicationVersion = fields.string("applicationVersion")
        originalApplicationVersion = fields.string("originalApplicationVersion")
        versionExternalIdentifier = fields.int64("versionExternalIdentifier")
        receiptCreationDate = fields.instant("receiptCreationDate")
        originalPurchaseDate = fields.instant("originalPurchaseDate")
        preorderDate = fields.instant("preorderDate")
        deviceVerification = fields.string("deviceVerification")
        deviceVerificationNonce = fields.string("deviceVerificationNonce")
        appTransactionId = fields.identifier("appTransactionId")
        originalPlatform = fields.string("originalPlatform")
        unknownFields = fields.unknownFields
        fieldProblems = fields.problems
    }
}
