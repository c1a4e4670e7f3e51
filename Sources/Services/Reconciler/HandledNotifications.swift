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

    private struct State {
        var moments: [Key: Int64] = [:]
        /// The number of claims at which expired ones are removed.
        var limit = HandledNotifications.capacity
    }

    /// Lifetime of a claim in milliseconds. One hour suffices: rows are read back within seconds, and an older index is
    /// brought up to date before use.
    private static let lifetime: Int64 = 3_600_000
    private static let capacity = 65_536

    private let state = Mutex(State())

    /// Claims a notification for the caller. Returns false if this or another sweep has already claimed it.
    ///
    /// - Parameter now: monotonic time in milliseconds.
    func claim(_ mark: NotificationMark, in environment: AppStoreEnvironment, now: Int64) -> Bool {
        state.withLock { state in
            let key = Key(environment: environment, mark: mark)
            if let moment = state.moments[key], now - moment < Self.lifetime { return false }
            if state.moments.count >= state.limit {
                state.moments = state.moments.filter { now - $0.value < Self.lifetime }
                // If most claims have not expired, checking all of them for each further one would be too slow.
                state.limit = max(Self.capacity, 2 * state.moments.count)
            }
            state.moments[key] = now
            return true
        }
    }

    /// Releases a claim, because the notification was not written.
    func release(_ mark: NotificationMark, in environment: AppStoreEnvironment) {
        state.withLock { $0.moments[Key(environment: environment, mark: mark)] = nil }
    }
}
