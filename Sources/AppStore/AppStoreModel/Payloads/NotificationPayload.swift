public import JSON

/// A notification's payload (Apple: responseBodyV2DecodedPayload).
public struct NotificationPayload: Hashable, Sendable {
    public var notificationType: NotificationType?
    public var subtype: Subtype?
    /// Unique to each notification; retries have the same UUID.
    public var notificationUUID: NotificationUUID?
    /// `2.0`.
    public var version: String?
    /// Time at which the App Store signed this payload.
    public var signedDate: AppStoreInstant?
    /// Present for all types except those of the next four objects. Exactly one of the five is present, or an unknown
    /// object in ``unknownFields``.
    public var data: NotificationData?
    /// `RENEWAL_EXTENSION` with `SUMMARY`.
    public var summary: NotificationSummary?
    /// `EXTERNAL_PURCHASE_TOKEN`.
    public var externalPurchaseToken: ExternalPurchaseToken?
    /// `RESCIND_CONSENT`.
    public var appData: AppData?
    /// `UNCLAIM_SEATS`.
    public var unclaimInfo: UnclaimInfo?
    /// Unknown fields, as received.
    public var unknownFields: JSONObject
    /// Malformed fields of this object and its nested objects; they count as absent.
    public var fieldProblems: [FieldProblem]

    /// Reads a scanned payload.
    public init(_ element: JSONElement) {
        var fields = FieldReader(element)
        self.init(reading: &fields)
    }

    /// Parses the JSON text of a payload, which must be an object.
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
