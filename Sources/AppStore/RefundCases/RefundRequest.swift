package import AppStoreModel
package import JSON

/// One CONSUMPTION_REQUEST: Apple asks for information about the transaction of a case, and repeats it under new
/// notificationUUIDs while it waits. Or an operator's, who wants a round of its own for another answer.
package struct RefundRequest: CasePart {
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
    /// Its 12 hours were over when this installation first read it.
    package var isLate: Bool
    /// An operator opened a round with it; Apple sent nothing.
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

    /// The arrival that was read in time goes before one that was not, and the first before a later one.
    package var rank: [Int64] { [isLate ? 0 : 1, -receivedAt.millisecondsSince1970] }

    /// Apple's last attempt comes 157 hours after the first, and is answered within 12 more: what is received later than
    /// that after its signature is history (app-store.md 10.5).
    static let latestReceipt: Int64 = 169 * 3_600_000

    /// Whether Apple may still wait for the answer when the request is received.
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
