package import AppStoreModel

/// The kind of a sweep. All kinds except `statuses` read Apple's notification history.
package enum SweepKind: Hashable, Sendable {
    /// Notifications that Apple could not deliver. They are fetched often, and after every ingress outage.
    case failures
    /// All notifications that Apple sent, to find acknowledged ones that are missing from the topics.
    case everything
    /// Apple's current status for each subscription that has version 1 notifications, which no history contains, or
    /// whose state is unexplained.
    case statuses
    /// A range requested by an operator, with the request ID.
    case backfill(String)

    private static let backfillPrefix = "backfill-"

    /// The kind as text for keys, metrics and output.
    package var text: String {
        switch self {
        case .failures: "failures"
        case .everything: "everything"
        case .statuses: "statuses"
        case .backfill(let id): Self.backfillPrefix + id
        }
    }

    /// Returns nil if the text is not a kind.
    package init?(_ text: String) {
        switch text {
        case "failures": self = .failures
        case "everything": self = .everything
        case "statuses": self = .statuses
        default:
            guard text.hasPrefix(Self.backfillPrefix), text.utf8.count <= 64 else { return nil }
            self = .backfill(String(text.dropFirst(Self.backfillPrefix.count)))
        }
    }

    package var isBackfill: Bool { if case .backfill = self { true } else { false } }

    /// Returns the period covered by Get Notification History, in milliseconds.
    package static func reach(_ environment: AppStoreEnvironment) -> Int64 {
        (environment == .production ? 180 : 30) * 86_400_000
    }
}

/// A half-open time range, in milliseconds since 1970.
package struct SweepRange: Hashable, Sendable {
    package var from: Int64
    package var to: Int64

    package init(from: Int64, to: Int64) {
        self.from = from
        self.to = to
    }
}
