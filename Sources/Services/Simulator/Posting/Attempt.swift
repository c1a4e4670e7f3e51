package import AppStoreModel
internal import JSON

/// The outcome of posting a notification.
package enum PostOutcome: Sendable, Equatable {
    /// The server responded with this HTTP status.
    case status(Int)
    /// There was no response. The code gives the reason.
    case failed(String)

    /// Whether the post succeeded by Apple's rule: 200 to 206, regardless of the body.
    package var isAcknowledged: Bool {
        if case .status(let status) = self { return (200...206).contains(status) }
        return false
    }

    /// The status or the error code.
    package var text: String {
        switch self {
        case .status(let status): String(status)
        case .failed(let code): code
        }
    }
}

/// One attempt to post one notification.
package struct Attempt: Sendable {
    package let post: PlannedPost
    package let notificationType: NotificationType
    package let subtype: Subtype?
    /// The notification's UUID; see ``SignedNotification/notificationUUID``.
    package let notificationUUID: NotificationUUID
    package let originalTransactionId: OriginalTransactionId?
    package let key: String
    /// The one-based number of the attempt.
    package let number: Int
    package let outcome: PostOutcome
    package let latency: Duration

    /// The attempt as one JSON object on one line, without a line feed.
    package var reportLine: String {
        var line = JSONObject()
        if post.format == .v2 {
            line.put("notificationUUID", notificationUUID.rawValue)
        } else {
            line.put("format", post.format.rawValue)
            line.put("sameEventAs", notificationUUID.rawValue)
        }
        line.put("notificationType", notificationType.rawValue)
        line.put("subtype", subtype?.rawValue)
        line.put("originalTransactionId", originalTransactionId?.rawValue)
        line.put("key", key)
        line.put("attempt", Int64(number))
        line.put("duplicate", post.isDuplicate ? true : nil)
        line.put("late", post.isLate ? true : nil)
        switch outcome {
        case .status(let status): line.put("status", Int64(status))
        case .failed(let code): line.put("error", code)
        }
        line.put("milliseconds", latency.milliseconds)
        return line.text
    }
}
