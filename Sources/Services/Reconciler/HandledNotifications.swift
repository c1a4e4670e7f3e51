internal import AppStoreModel
internal import Reconciliation
internal import Synchronization

/// The notifications that this process has published or quarantined, and whose rows may not be read back yet: sweeps of
/// several kinds run at a time and find the same ones.
final class HandledNotifications: Sendable {
    private struct Key: Hashable {
        let environment: AppStoreEnvironment
        let mark: NotificationMark
    }

    /// Rows are read back within seconds; an index that is older is brought up to date before it is asked. Milliseconds.
    private static let lifetime: Int64 = 3_600_000
    private static let capacity = 65_536

    private let moments = Mutex<[Key: Int64]>([:])

    /// Claims a notification for the caller. False where another sweep, or this one, has it.
    ///
    /// - Parameter now: milliseconds of the monotonic clock.
    func claim(_ mark: NotificationMark, in environment: AppStoreEnvironment, now: Int64) -> Bool {
        moments.withLock { moments in
            let key = Key(environment: environment, mark: mark)
            if let moment = moments[key], now - moment < Self.lifetime { return false }
            if moments.count >= Self.capacity { moments = moments.filter { now - $0.value < Self.lifetime } }
            moments[key] = now
            return true
        }
    }

    /// The claimed notification was not written after all.
    func release(_ mark: NotificationMark, in environment: AppStoreEnvironment) {
        moments.withLock { $0[Key(environment: environment, mark: mark)] = nil }
    }
}
