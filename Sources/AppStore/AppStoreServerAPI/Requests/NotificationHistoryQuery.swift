package import AppStoreModel
internal import JSON

/// The filter for a notification history, the same for every page. Apple: NotificationHistoryRequest.
package struct NotificationHistoryQuery: Sendable, Hashable {
    /// The start of the window, within the last 180 days (30 in the sandbox).
    package var startDate: AppStoreInstant
    /// The end of the window, after `startDate`.
    package var endDate: AppStoreInstant
    /// The notification type. It cannot be combined with `transactionId`.
    package var notificationType: NotificationType?
    /// The notification subtype. It requires `notificationType`.
    package var notificationSubtype: Subtype?
    /// The customer whose notifications are returned, identified by a transaction.
    package var transactionId: AnyTransactionId?
    /// Whether to return only undelivered notifications, including those that Apple is still retrying.
    package var onlyFailures: Bool?

    package init(from startDate: AppStoreInstant, to endDate: AppStoreInstant) {
        self.startDate = startDate
        self.endDate = endDate
    }

    var body: [UInt8] {
        var writer = JSONWriter()
        writer.object {
            $0.set("startDate", startDate)
            $0.set("endDate", endDate)
            $0.set("notificationType", notificationType?.rawValue)
            $0.set("notificationSubtype", notificationSubtype?.rawValue)
            $0.set("transactionId", transactionId?.rawValue)
            $0.set("onlyFailures", onlyFailures)
        }
        return writer.bytes
    }
}
