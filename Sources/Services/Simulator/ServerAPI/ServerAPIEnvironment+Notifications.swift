internal import AppStoreModel
internal import JSON

// Notifications caused by requests.
extension ServerAPIEnvironment {
    /// Returns a notification about a transaction in its stored state, or `nil` if the transaction is unknown.
    func notification(
        _ type: NotificationType, about transactionId: String, reason: ConsumptionRequestReason? = nil, now: Int64
    ) -> UnsignedNotification? {
        guard var transaction = store.transactions[transactionId]?.payload else { return nil }
        let original = transaction["originalTransactionId"]?.string ?? transactionId
        transaction.put("signedDate", now)
        var container = app.identity
        container.put("bundleVersion", "42")
        container.put("consumptionRequestReason", reason?.rawValue)
        var renewal = store.renewals[original]?.payload
        if renewal != nil {
            renewal?.put("signedDate", now)
            container.put("status", store.status(of: original, at: now))
        }
        return notification(
            type, containerName: "data", container: container, subject: original, transaction: transaction,
            renewal: renewal, now: now)
    }

    func notification(
        _ type: NotificationType, _ subtype: Subtype? = nil, containerName: String, container: JSONObject,
        subject: String?, transaction: JSONObject? = nil, renewal: JSONObject? = nil, now: Int64
    ) -> UnsignedNotification {
        let uuid = Self.freshUUID()
        var head = JSONObject()
        head.put("notificationType", type.rawValue)
        head.put("subtype", subtype?.rawValue)
        head.put("notificationUUID", uuid)
        head.put("version", "2.0")
        head.put("signedDate", now)
        return UnsignedNotification(
            scenario: "", run: 0, notificationType: type, subtype: subtype, notificationUUID: NotificationUUID(uuid),
            signedDate: now,
            originalTransactionId: (transaction?["originalTransactionId"]?.string).map { OriginalTransactionId($0) },
            transactionId: (transaction?["transactionId"]?.string).map { TransactionId($0) },
            subject: subject ?? uuid, transaction: transaction?.bytes, renewalInfo: renewal?.bytes,
            appTransaction: nil, head: head, containerName: containerName, container: container)
    }
}
