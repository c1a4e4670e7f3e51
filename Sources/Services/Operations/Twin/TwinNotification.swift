internal import AppStoreModel
internal import JSON
internal import Kafka
internal import Records

/// One notification of either stream, as far as the two are compared by it.
struct TwinNotification: Hashable, Sendable {
    /// What two notifications of one event have in common.
    struct Event: Hashable, Sendable {
        let bundleId: BundleId
        let originalTransactionId: OriginalTransactionId?
        let transactionId: TransactionId?
        let type: NotificationType
    }

    let trust: RecordTrust
    let event: Event
    let subtype: Subtype?
    /// As version 1 or the oldest form sent it.
    let rawType: String?
    let notificationUUID: NotificationUUID
    let receivedAt: AppStoreInstant
    /// Of the transaction; nil without one, and where version 1 does not tell.
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

    /// Nil where a header or member that every notification record has is absent.
    init?(_ record: NotificationRecord) {
        let notification = record.notification
        guard let bundleId = record.bundleId, let type = notification.notificationType,
            let notificationUUID = record.notificationUUID, let receivedAt = record.receivedAt
        else { return nil }
        let transaction = record.transaction
        self.init(
            // What does not say otherwise was signed: older records all were.
            trust: record.trust ?? .signed,
            event: Event(
                bundleId: bundleId,
                originalTransactionId: record.originalTransactionId ?? transaction?.originalTransactionId,
                transactionId: transaction?.transactionId, type: type),
            subtype: notification.subtype, rawType: notification.unknownFields["rawType"]?.string,
            notificationUUID: notificationUUID, receivedAt: receivedAt, ownership: transaction?.inAppOwnershipType,
            productType: transaction?.type)
    }

    /// `TYPE` or `TYPE/SUBTYPE`.
    var typeText: String { subtype.map { "\(event.type)/\($0)" } ?? event.type.rawValue }
}
