public import JSON

/// A notification's payload (Apple: responseBodyV2DecodedPayload).
public struct NotificationPayload: Hashable, Sendable {
    public var notificationType: NotificationType?
    public var subtype: Subtype?
    /// Unique per notification and the same on every retry.
    public var notificationUUID: NotificationUUID?
    /// `2.0`.
    public var version: String?
    /// When the App Store signed this payload.
    public var signedDate: AppStoreInstant?
    /// All types but those of the four below. Exactly one of the five is present, or an object not known yet, which is in
    /// ``unknownFields``.
    public var data: NotificationData?
    /// `RENEWAL_EXTENSION` with `SUMMARY`.
    public var summary: NotificationSummary?
    /// `EXTERNAL_PURCHASE_TOKEN`.
    public var externalPurchaseToken: ExternalPurchaseToken?
    /// `RESCIND_CONSENT`.
    public var appData: AppData?
    /// `UNCLAIM_SEATS`.
    public var unclaimInfo: UnclaimInfo?
    /// Fields that this library does not know, as received.
    public var unknownFields: JSONObject
    /// Fields of another JSON type than documented, here and inside; they read as absent.
    public var fieldProblems: [FieldProblem]

    /// Reads a scanned payload.
    public init(_ element: JSONElement) {
        var fields = FieldReader(element)
        self.init(reading: &fields)
    }

    /// Scans and reads the text of a payload, an object.
    public init(json: [UInt8]) throws(JSONError) { self.init(try JSONDocument.object(json).root) }
}

extension NotificationPayload: PayloadObject {
    init(reading fields: inout FieldReader) {
        notificationType = fields.enumeration("notificationType")
        subtype = fields.enumeration("subtype")
        notificationUUID = fields.identifier("notificationUUID")
        version = fields.string("version")
        signedDate = fields.instant("signedDate")
        data = fields.object("data")
        summary = fields.object("summary")
        externalPurchaseToken = fields.object("externalPurchaseToken")
        appData = fields.object("appData")
        unclaimInfo = fields.object("unclaimInfo")
        unknownFields = fields.unknownFields
        fieldProblems = fields.problems
    }
}
