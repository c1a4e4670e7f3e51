internal import AppStoreModel

/// The sent notifications and the outcome of every attempt, as returned by Get Notification History.
struct SentNotifications: Sendable {
    struct Attempt: Sendable, Equatable {
        /// The time of the attempt, in milliseconds since 1970.
        let date: Int64
        /// Apple's `sendAttemptResult`.
        let result: String
    }

    struct Sent: Sendable {
        /// The notification as listed: signed for each response, or as captured.
        enum Content: Sendable {
            case simulated(UnsignedNotification)
            case captured(CapturedNotification)
        }

        let content: Content
        let notificationUUID: NotificationUUID
        let notificationType: NotificationType
        let subtype: Subtype?
        /// The ids that identify the notification's purchase.
        let transactionIds: [String]
        /// The date by which the history is filtered, in milliseconds since 1970.
        let date: Int64
        /// The attempts, oldest first. Apple lists at most six.
        fileprivate(set) var attempts: [Attempt] = []
        /// Whether any attempt succeeded, including an unlisted one.
        fileprivate(set) var isDelivered = false
    }

    /// A page of the history, and the position of the next page.
    struct Page {
        var sent: [Sent] = []
        /// The position of the next page, or `nil` on the last page.
        var next: Int?
    }

    /// Maximum number of notifications to store. If there are more, the oldest ones are dropped.
    static let maximum = 100_000

    /// The notifications in sending order.
    private var all: [Sent] = []
    /// The position of each notification: its index in `all` plus the number of dropped notifications.
    private var positions: [String: Int] = [:]
    private var dropped = 0

    subscript(uuid: String) -> Sent? { index(of: uuid).map { all[$0] } }

    /// Adds a notification, unless it has already been added.
    mutating func add(_ notification: UnsignedNotification) {
        add(
            Sent(
                content: .simulated(notification), notificationUUID: notification.notificationUUID,
                notificationType: notification.notificationType, subtype: notification.subtype,
                transactionIds: (notification.transactionId?.rawValue).map { [$0] } ?? [],
                date: notification.signedDate))
    }

    /// Adds a notification that was signed elsewhere. It is listed under the given date; its signing time is ignored.
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
        guard let index = index(of: uuid) else { return }
        if result == Self.success { all[index].isDelivered = true }
        guard all[index].attempts.count < 6 else { return }
        all[index].attempts.append(Attempt(date: date, result: result))
    }

    /// Returns up to `size` matching notifications, starting at a position.
    ///
    /// A position identifies the same notification even after others are delivered or dropped, so no page skips a
    /// notification.
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
    /// The `sendAttemptResult` of a notification that never arrived.
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
