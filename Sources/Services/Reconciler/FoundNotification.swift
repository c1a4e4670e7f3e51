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
        /// A nonconforming notification, with its compact JWS.
        case nonconforming(NonconformingNotification, [UInt8])
        /// An object that is not signed by Apple, or that belongs to a different app or environment than requested;
        /// includes the text that Apple returned.
        case refused(RefusedObject, [UInt8])
    }

    let content: Content
    let mark: NotificationMark
    let wanted: ReceivedIndex.Wanted
    /// Whether Apple's history lists an acknowledged delivery attempt.
    let wasDelivered: Bool

    /// Whether the notification would be written to the quarantine topic.
    var isQuarantinable: Bool {
        switch content {
        case .accepted: false
        case .nonconforming, .refused: true
        }
    }

    /// Whether the object is not signed by Apple, or belongs to a different app or environment than requested.
    var isRefused: Bool { if case .refused = content { true } else { false } }

    /// Returns the mark under which the index lists a notification without a notificationUUID.
    ///
    /// - Parameter digest: the digest of the signed part of the JWS.
    static func mark(ofSignedPart digest: [UInt8]) -> NotificationMark {
        NotificationMark(of: digest.map { String($0, radix: 16) }.joined())
    }

    init(_ item: NotificationHistoryPage.RefusedItem) {
        content = .refused(item.object, item.signedPayload)
        mark = NotificationMark(of: String(decoding: item.signedPayload, as: UTF8.self))
        wanted = ReceivedIndex.Wanted(key: Array(ReceivedNotifications.quarantined(mark).utf8), mark: mark)
        wasDelivered = false
    }

    /// Returns nil for a verdict that a history should not yield: an accepted notification without an identity, a
    /// nonconforming one without a digest, or a verdict of any other kind.
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
            mark = notification.notificationUUID.map { NotificationMark(of: $0) } ?? Self.mark(ofSignedPart: digest)
            wanted = ReceivedIndex.Wanted(key: Array(ReceivedNotifications.quarantined(mark).utf8), mark: mark)
        case .duplicate, .notForUs, .notApple, .retryLater, .legacy: return nil
        }
    }
}
