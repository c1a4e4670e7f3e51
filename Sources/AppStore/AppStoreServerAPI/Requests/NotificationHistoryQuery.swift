package import AppStoreModel
internal import JSON

/// Which notifications a history is asked for; every page is asked with the same. Apple: NotificationHistoryRequest.
package struct NotificationHistoryQuery: Sendable, Hashable {
    /// Within the last 180 days, in the sandbox 30.
    package var startDate: AppStoreInstant
    /// After `startDate`.
    package var endDate: AppStoreInstant
    /// Not together with `transactionId`.
    package var notificationType: NotificationType?
    /// Only with a type.
    package var notificationSubtype: Subtype?
    /// Of one customer.
    package var transactionId: AnyTransactionId?
    /// Only what was not delivered yet, with what is still being retried.
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
