internal import AppStoreModel
internal import AppStoreServerAPI
internal import AppStoreVerification
internal import Publication
internal import Reconciliation
internal import Records

/// A notification in Apple's history.
struct FoundNotification: Sendable {
    enum Content: Sendable {
        case accepted(AcceptedNotification)
        /// With the compact JWS.
        case nonconforming(NonconformingNotification, [UInt8])
    }

    let content: Content
    let mark: NotificationMark
    let wanted: ReceivedIndex.Wanted
    /// Apple saw an attempt acknowledged.
    let wasDelivered: Bool

    /// Its answer has a deadline of 12 hours.
    var isUrgent: Bool {
        guard case .accepted(let notification) = content else { return false }
        return notification.identity.notificationType == .consumptionRequest
    }

    /// Nil only if the verifier let something pass that cannot be named.
    init?(_ item: NotificationHistoryPage.Item) {
        wasDelivered = item.sendAttempts.contains { $0.result == .success }
        switch item.verdict {
        case .accepted(let verified):
            guard let notification = AcceptedNotification(verified) else { return nil }
            content = .accepted(notification)
            mark = NotificationMark(notification.identity.notificationUUID)
            wanted = ReceivedIndex.Wanted(key: Array(notification.identity.key.utf8), mark: mark)
        case .nonconforming(let notification):
            content = .nonconforming(notification, item.signedPayload)
            guard let digest = notification.signedPartDigest else { return nil }
            mark = NotificationMark(of: notification.notificationUUID ?? digest.map { String($0, radix: 16) }.joined())
            wanted = ReceivedIndex.Wanted(key: Array(ReceivedNotifications.quarantined(mark).utf8), mark: mark)
        case .duplicate, .notForUs, .notApple, .retryLater, .legacy: return nil
        }
    }
}
