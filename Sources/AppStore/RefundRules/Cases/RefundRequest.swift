package import AppStoreModel
package import JSON

/// A CONSUMPTION_REQUEST. Apple requests information about a case's transaction and repeats the request with new
/// notificationUUIDs while waiting. An operator can also create a request, which opens another round for a different
/// answer.
package struct RefundRequest: CasePart {
    package var notificationUUID: NotificationUUID
    /// The time when Apple signed the request.
    package var signedDate: AppStoreInstant
    /// The time when the ingress received the request.
    package var receivedAt: AppStoreInstant
    package var reason: ConsumptionRequestReason?
    /// Whether Apple signed the request. If false, it is authenticated only by a shared secret (version 1).
    package var isSigned: Bool
    /// Whether it is uncertain which transaction a version 1 body concerns. See ``LegacyRequest``.
    package var isAmbiguous: Bool
    /// Whether the 12-hour deadline had passed when this installation first read the request.
    package var isLate: Bool
    /// Whether an operator, rather than Apple, created this request to open another round.
    package var isOperators: Bool

    package init(
        notificationUUID: NotificationUUID, signedDate: AppStoreInstant, receivedAt: AppStoreInstant,
        reason: ConsumptionRequestReason? = nil, isSigned: Bool = true, isAmbiguous: Bool = false,
        isLate: Bool = false, isOperators: Bool = false
    ) {
        self.notificationUUID = notificationUUID
        self.signedDate = signedDate
        self.receivedAt = receivedAt
        self.reason = reason
        self.isSigned = isSigned
        self.isAmbiguous = isAmbiguous
        self.isLate = isLate
        self.isOperators = isOperators
    }

    /// The rank by arrival. A request read in time ranks above a late one; otherwise, the request received earlier
    /// ranks higher.
    package var rank: [Int64] { [isLate ? 0 : 1, -receivedAt.millisecondsSince1970] }

    /// The maximum time between signature and receipt, in milliseconds. Apple's last attempt comes 157 hours after the
    /// first and can be answered for another 12 hours. Apple does not wait for an answer to a request received later
    /// (app-store.md 10.5).
    static let latestReceipt: Int64 = 169 * 3_600_000

    /// Whether Apple may still be waiting for the answer when the request is received.
    var isTimely: Bool { signedDate.milliseconds(to: receivedAt) <= Self.latestReceipt }

    package func write(to object: inout JSONWriter) {
        object.set("notificationUUID", notificationUUID)
        object.set("signedDate", signedDate)
        object.set("receivedAt", receivedAt)
        object.set("consumptionRequestReason", reason?.rawValue)
        if !isSigned { object.set("trust", RefundCase.sharedSecret) }
        if isAmbiguous { object.set("ambiguous", true) }
        if isLate { object.set("late", true) }
        if isOperators { object.set("origin", Self.operators) }
    }

    package init?(_ element: JSONElement) {
        var fields = FieldReader(element)
        guard let notificationUUID: NotificationUUID = fields.identifier("notificationUUID"),
            let signedDate = fields.instant("signedDate"), let receivedAt = fields.instant("receivedAt")
        else { return nil }
        self.init(
            notificationUUID: notificationUUID, signedDate: signedDate, receivedAt: receivedAt,
            reason: fields.enumeration("consumptionRequestReason"),
            isSigned: fields.string("trust") != RefundCase.sharedSecret,
            isAmbiguous: fields.bool("ambiguous") ?? false, isLate: fields.bool("late") ?? false,
            isOperators: fields.string("origin") == Self.operators)
    }

    private static let operators = "operator"
}
