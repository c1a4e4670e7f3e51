package import AppStoreModel
internal import JSON

/// A notification ready to be posted, with the facts that a receiver must find in it.
package struct SignedNotification: Sendable {
    package var format = NotificationFormat.v2
    /// As the form names it.
    package let notificationType: NotificationType
    package let subtype: Subtype?
    /// Of the forms before version 2, which have none: that of the version 2 notification of the same event.
    package let notificationUUID: NotificationUUID
    /// Absent where the notification concerns no purchase.
    package let originalTransactionId: OriginalTransactionId?
    package let transactionId: TransactionId?
    /// The key of its record: the bundle id, a slash, and what the notification is about.
    package let key: String
    /// The HTTP body: `{"signedPayload":"…"}`, or the whole notification of a form before version 2.
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
