package import AppStoreModel
internal import JSON

/// One CONSUMPTION_REQUEST: Apple asks for information about the transaction of a case, and repeats it under new
/// notificationUUIDs while it waits.
package struct RefundRequest: RefundStatement {
    package var notificationUUID: NotificationUUID
    /// When Apple signed it.
    package var signedDate: AppStoreInstant
    /// When the ingress received it.
    package var receivedAt: AppStoreInstant
    package var reason: ConsumptionRequestReason?
    /// False for what only a shared secret vouched for (version 1).
    package var isSigned: Bool
    /// The version 1 body does not say of which transaction it is: see ``LegacyRequest``.
    package var isAmbiguous: Bool

    package init(
        notificationUUID: NotificationUUID, signedDate: AppStoreInstant, receivedAt: AppStoreInstant,
        reason: ConsumptionRequestReason? = nil, isSigned: Bool = true, isAmbiguous: Bool = false
    ) {
        self.notificationUUID = notificationUUID
        self.signedDate = signedDate
        self.receivedAt = receivedAt
        self.reason = reason
        self.isSigned = isSigned
        self.isAmbiguous = isAmbiguous
    }

    /// Of the same notification the one that was received first.
    var rank: [Int64] { [-receivedAt.millisecondsSince1970] }

    func write(to object: inout JSONWriter) {
        object.set("notificationUUID", notificationUUID)
        object.set("signedDate", signedDate)
        object.set("receivedAt", receivedAt)
        object.set("consumptionRequestReason", reason?.rawValue)
        if !isSigned { object.set("trust", RefundCase.sharedSecret) }
        if isAmbiguous { object.set("ambiguous", true) }
    }

    init?(_ element: JSONElement) {
        var fields = FieldReader(element)
        guard let notificationUUID: NotificationUUID = fields.identifier("notificationUUID"),
            let signedDate = fields.instant("signedDate"), let receivedAt = fields.instant("receivedAt")
        else { return nil }
        self.init(
            notificationUUID: notificationUUID, signedDate: signedDate, receivedAt: receivedAt,
            reason: fields.enumeration("consumptionRequestReason"),
            isSigned: fields.string("trust") != RefundCase.sharedSecret,
            isAmbiguous: fields.bool("ambiguous") ?? false)
    }
}
