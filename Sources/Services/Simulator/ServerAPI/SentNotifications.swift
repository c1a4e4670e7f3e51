internal import AppStoreModel

/// The notifications that were sent, with the outcome of every attempt: what Get Notification History answers from.
struct SentNotifications: Sendable {
    struct Attempt: Sendable, Equatable {
        /// Milliseconds since 1970.
        let date: Int64
        /// Apple's `sendAttemptResult`.
        let result: String
    }

    struct Sent: Sendable {
        /// What is listed, either signed for each answer or as it was captured.
        enum Content: Sendable {
            case simulated(UnsignedNotification)
            case captured(CapturedNotification)
        }

        let content: Content
        let notificationUUID: NotificationUUID
        let notificationType: NotificationType
        let subtype: Subtype?
        /// The ids that name its purchase.
        let transactionIds: [String]
        /// What the history's dates are about, in milliseconds since 1970.
        let date: Int64
        /// Oldest first; Apple shows at most six.
        fileprivate(set) var attempts: [Attempt] = []
        fileprivate(set) var isDelivered = false
    }

    /// Some of the history, and where the next of the same question begins.
    struct Page {
        var sent: [Sent] = []
        /// `nil` when no more is included.
        var next: Int?
    }

    /// The oldest are dropped beyond.
    static let maximum = 100_000

    /// In the order of sending.
    private var all: [Sent] = []
    /// Positions in `all` plus the number of those dropped.
    private var positions: [String: Int] = [:]
    private var dropped = 0

    subscript(uuid: String) -> Sent? { index(of: uuid).map { all[$0] } }

    /// Adds a notification; one that is known stays as it is.
    mutating func add(_ notification: UnsignedNotification) {
        add(
            Sent(
                content: .simulated(notification), notificationUUID: notification.notificationUUID,
                notificationType: notification.notificationType, subtype: notification.subtype,
                transactionIds: (notification.transactionId?.rawValue).map { [$0] } ?? [],
                date: notification.signedDate))
    }

    /// Adds a notification that was signed elsewhere, whenever that was, as one of that date.
    mutating func add(_ captured: CapturedNotification, at date: Int64) {
        add(
            Sent(
                content: .captured(captured), notificationUUID: captured.notificationUUID,
                notificationType: captured.notificationType, subtype: captured.subtype,
                transactionIds: captured.transactionIds, date: date))
    }

    private mutating func add(_ sent: Sent) {
        let uuid = sent.notificationUUID.rawValue
        guard positions[uuid] == nil else { return }
        if all.count >= Self.maximum {
            let count = Self.maximum / 10
            for sent in all.prefix(count) { positions[sent.notificationUUID.rawValue] = nil }
            all.removeFirst(count)
            dropped += count
        }
        positions[uuid] = all.count + dropped
        all.append(sent)
    }

    mutating func record(_ result: String, of uuid: String, at date: Int64) {
        guard let index = index(of: uuid), all[index].attempts.count < 6 else { return }
        all[index].attempts.append(Attempt(date: date, result: result))
        if result == Self.success { all[index].isDelivered = true }
    }

    /// The notifications from a position on that are included, up to so many.
    ///
    /// A position stays that of the same notification when others are delivered or dropped, so that no page skips one.
    func page(from position: Int, size: Int, where isIncluded: (Sent) -> Bool) -> Page {
        var page = Page()
        var index = max(0, position - dropped)
        while index < all.count {
            if isIncluded(all[index]) {
                guard page.sent.count < size else {
                    page.next = index + dropped
                    break
                }
                page.sent.append(all[index])
            }
            index += 1
        }
        return page
    }

    private func index(of uuid: String) -> Int? { positions[uuid].map { $0 - dropped } }

    static let success = "SUCCESS"
    /// Of a notification that never arrived.
    static let noResponse = "NO_RESPONSE"

    static func result(of outcome: PostOutcome) -> String {
        switch outcome {
        case .status: outcome.isAcknowledged ? success : "UNSUCCESSFUL_HTTP_RESPONSE_CODE"
        case .failed("timedOut"): "TIMED_OUT"
        case .failed("connectionFailed"): "SOCKET_ISSUE"
        case .failed("tls"): "TLS_ISSUE"
        case .failed: "OTHER"
        }
    }
}
