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
        let notification: UnsignedNotification
        /// Apple shows at most six.
        var attempts: [Attempt] = []

        var isDelivered: Bool { attempts.contains { $0.result == "SUCCESS" } }
    }

    /// The oldest are dropped beyond.
    static let maximum = 100_000

    /// In the order of sending.
    private(set) var all: [Sent] = []
    /// Positions in `all` plus the number of those dropped.
    private var positions: [String: Int] = [:]
    private var dropped = 0

    subscript(uuid: String) -> Sent? { position(of: uuid).map { all[$0] } }

    /// Adds a notification; one that is known stays as it is.
    mutating func add(_ notification: UnsignedNotification) {
        let uuid = notification.notificationUUID.rawValue
        guard positions[uuid] == nil else { return }
        if all.count >= Self.maximum {
            let count = Self.maximum / 10
            for sent in all.prefix(count) { positions[sent.notification.notificationUUID.rawValue] = nil }
            all.removeFirst(count)
            dropped += count
        }
        positions[uuid] = all.count + dropped
        all.append(Sent(notification: notification))
    }

    mutating func record(_ outcome: PostOutcome, of uuid: String, at date: Int64) {
        guard let position = position(of: uuid), all[position].attempts.count < 6 else { return }
        all[position].attempts.append(Attempt(date: date, result: Self.result(of: outcome)))
    }

    private func position(of uuid: String) -> Int? { positions[uuid].map { $0 - dropped } }

    private static func result(of outcome: PostOutcome) -> String {
        switch outcome {
        case .status: outcome.isAcknowledged ? "SUCCESS" : "UNSUCCESSFUL_HTTP_RESPONSE_CODE"
        case .failed("timedOut"): "TIMED_OUT"
        case .failed("connectionFailed"): "SOCKET_ISSUE"
        case .failed("tls"): "TLS_ISSUE"
        case .failed: "OTHER"
        }
    }
}
