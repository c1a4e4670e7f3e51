package import AppStoreModel
internal import JSON

/// A notification that is ready to be posted, with the facts that a receiver must find in it.
package struct SignedNotification: Sendable {
    package var format = NotificationFormat.v2
    /// The type, as spelled in this format.
    package let notificationType: NotificationType
    package let subtype: Subtype?
    /// The notification's UUID. Formats before version 2 have none, so the UUID is that of the version 2 notification
    /// about the same event.
    package let notificationUUID: NotificationUUID
    /// The purchase's id, or nil if the notification does not concern a purchase.
    package let originalTransactionId: OriginalTransactionId?
    package let transactionId: TransactionId?
    /// The key of the notification's record: the bundle id, a slash, and the notification's subject.
    package let key: String
    /// The HTTP body: `{"signedPayload":"…"}`, or the whole notification in a format before version 2.
    package let body: [UInt8]

    /// The report line, without a line feed, for a notification that is never posted.
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
