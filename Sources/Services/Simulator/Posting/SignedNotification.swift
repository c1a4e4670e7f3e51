package import AppStoreModel
internal import JSON

/// A notification ready to be posted, with the facts that a receiver must find in it.
package struct SignedNotification: Sendable {
    package let notificationType: NotificationType
    package let subtype: Subtype?
    package let notificationUUID: NotificationUUID
    /// Absent where the notification concerns no purchase.
    package let originalTransactionId: OriginalTransactionId?
    package let transactionId: TransactionId?
    /// The key of its record: the bundle id, a slash, and what the notification is about.
    package let key: String
    /// The HTTP body: `{"signedPayload":"…"}`.
    package let body: [UInt8]

    /// The line of a report about a notification that is never posted, without the line's end.
    var undeliveredReportLine: String {
        var line = JSONObject()
        line.put("notificationUUID", notificationUUID.rawValue)
        line.put("notificationType", notificationType.rawValue)
        line.put("subtype", subtype?.rawValue)
        line.put("originalTransactionId", originalTransactionId?.rawValue)
        line.put("key", key)
        line.put("undelivered", true)
        return line.text
    }
}
