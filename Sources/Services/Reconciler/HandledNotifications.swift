internal import AppStoreModel
internal import Reconciliation
internal import Synchronization

/// The notifications that this process has published or quarantined but may not have read back yet. They are tracked
/// because concurrent sweeps of different kinds find the same notifications.
final class HandledNotifications: Sendable {
    private struct Key: Hashable {
        let environment: AppStoreEnvironment
        let mark: NotificationMark
    }

    /// Lifetime of a claim in milliseconds. One hour suffices: rows are read back within seconds, and an older index is
    /// brought up to date before use.
    private static let lifetime: Int64 = 3_600_000
    private static let capacity = 65_536

    private let moments = Mutex<[Key: Int64]>([:])

    /// Claims a notification for the caller. Returns false if this or another sweep has already claimed it.
    ///
    /// - Parameter now: monotonic time in milliseconds.
    func claim(_ mark: NotificationMark, in environment: AppStoreEnvironment, now: Int64) -> Bool {
        moments.withLock { moments in
            let key = Key(environment: environment, mark: mark)
            if let moment = moments[key], now - moment < Self.lifetime { return false }
            if moments.count >= Self.capacity { moments = moments.filter { now - $0.value < Self.lifetime } }
            moments[key] = now
            return true
        }
    }

    /// Releases a claim, because the notification was not written.
    func release(_ mark: NotificationMark, in environment: AppStoreEnvironment) {
        moments.withLock { $0[Key(environment: environment, mark: mark)] = nil }
    }
}
