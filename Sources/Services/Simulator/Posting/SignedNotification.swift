package import AppStoreModel
internal import JSON

/// A notification ready to be posted, with the facts that a receiver must find in it.
package struct SignedNotification: Sendable {
    package var format = NotificationFormat.v2
    /// The type as the format spells it.
    package let notificationType: NotificationType
    package let subtype: Subtype?
    /// The UUID; formats before version 2 have none, and use that of the version 2 notification of the same event.
    package let notificationUUID: NotificationUUID
    /// Absent when the notification concerns no purchase.
    package let originalTransactionId: OriginalTransactionId?
    package let transactionId: TransactionId?
    /// The key of its record: the bundle id, a slash, and the subject of the notification.
    package let key: String
    /// The HTTP body: `{"signedPayload":"…"}`, or the whole notification in a format before version 2.
    package let body: [UInt8]

    /// The report line of a notification that is never posted, without a line feed.
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
