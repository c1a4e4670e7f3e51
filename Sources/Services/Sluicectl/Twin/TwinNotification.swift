internal import AppStoreModel
internal import JSON
internal import Kafka
internal import Records

/// A notification from either stream, reduced to the members that are compared.
struct TwinNotification: Hashable, Sendable {
    /// The members that are equal in notifications about the same event.
    struct Event: Hashable, Sendable {
        let bundleId: BundleId
        let originalTransactionId: OriginalTransactionId?
        let transactionId: TransactionId?
        let type: NotificationType
    }

    let trust: RecordTrust
    let event: Event
    let subtype: Subtype?
    /// The type, as sent in version 1 or the oldest format.
    let rawType: String?
    let notificationUUID: NotificationUUID
    let receivedAt: AppStoreInstant
    /// The ownership of the transaction, or nil if there is no transaction or version 1 does not report its ownership.
    let ownership: InAppOwnershipType?
    let productType: ProductType?

    init(
        trust: RecordTrust, event: Event, subtype: Subtype? = nil, rawType: String? = nil,
        notificationUUID: NotificationUUID, receivedAt: AppStoreInstant, ownership: InAppOwnershipType? = nil,
        productType: ProductType? = nil
    ) {
        self.trust = trust
        self.event = event
        self.subtype = subtype
        self.rawType = rawType
        self.notificationUUID = notificationUUID
        self.receivedAt = receivedAt
        self.ownership = ownership
        self.productType = productType
    }

    /// Creates a notification from a record. Returns nil if a required header or member is missing.
    init?(_ record: NotificationRecord) {
        let notification = record.notification
        guard let bundleId = record.bundleId, let type = notification.notificationType,
            let notificationUUID = record.notificationUUID, let receivedAt = record.receivedAt
        else { return nil }
        let transaction = record.transaction
        self.init(
            // Records without a trust header were written by older versions, which accepted only signed notifications.
            trust: record.trust ?? .signed,
            event: Event(
                bundleId: bundleId,
                originalTransactionId: record.originalTransactionId ?? transaction?.originalTransactionId,
                transactionId: transaction?.transactionId, type: type),
            subtype: notification.subtype, rawType: notification.unknownFields["rawType"]?.string,
            notificationUUID: notificationUUID, receivedAt: receivedAt, ownership: transaction?.inAppOwnershipType,
            productType: transaction?.type)
    }

    /// The type as text: `TYPE` or `TYPE/SUBTYPE`.
    var typeText: String { subtype.map { "\(event.type)/\($0)" } ?? event.type.rawValue }
}
