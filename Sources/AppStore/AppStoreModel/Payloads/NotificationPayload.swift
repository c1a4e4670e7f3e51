public import JSON

/// The payload of a notification (Apple: responseBodyV2DecodedPayload).
public struct NotificationPayload: Hashable, Sendable {
    public var notificationType: NotificationType?
    public var subtype: Subtype?
    /// The identifier of the notification. Retries have the same identifier.
    public var notificationUUID: NotificationUUID?
    /// The version; always `2.0`.
    public var version: String?
    /// The time when the App Store signed this payload.
    public var signedDate: AppStoreInstant?
    /// Present for every notification type that does not use one of the next four properties. A payload has exactly one
    /// of the five objects, or an unknown object in ``unknownFields``.
    public var data: NotificationData?
    /// Present for `RENEWAL_EXTENSION` with subtype `SUMMARY`.
    public var summary: NotificationSummary?
    /// Present for `EXTERNAL_PURCHASE_TOKEN`.
    public var externalPurchaseToken: ExternalPurchaseToken?
    /// Present for `RESCIND_CONSENT`.
    public var appData: AppData?
    /// Present for `UNCLAIM_SEATS`.
    public var unclaimInfo: UnclaimInfo?
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
