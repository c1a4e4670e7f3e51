package import AppStoreModel

/// What a sweep asks Apple for: its notification history, but for `statuses`.
package enum SweepKind: Hashable, Sendable {
    /// What Apple could not deliver: often, and after the ingress was unavailable.
    case failures
    /// Everything that Apple sent: also what was acknowledged and is in no topic.
    case everything
    /// What Apple says now of each subscription of which version 1 spoke: version 1 is in no history.
    case statuses
    /// A range that an operator asked for, by the id of the request.
    case backfill(String)

    private static let backfillPrefix = "backfill-"

    /// As in keys, metrics and output.
    package var text: String {
        switch self {
        case .failures: "failures"
        case .everything: "everything"
        case .statuses: "statuses"
        case .backfill(let id): Self.backfillPrefix + id
        }
    }

    /// Nil for a text that names none.
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

    /// Apple records in Get Notification History for so long, in milliseconds.
    package static func reach(_ environment: AppStoreEnvironment) -> Int64 {
        (environment == .production ? 180 : 30) * 86_400_000
    }
}

/// From a moment to before another, in milliseconds since 1970.
package struct SweepRange: Hashable, Sendable {
    package var from: Int64
    package var to: Int64

    package init(from: Int64, to: Int64) {
        self.from = from
        self.to = to
    }
}
