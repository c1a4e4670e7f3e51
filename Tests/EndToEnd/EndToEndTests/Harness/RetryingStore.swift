import AppStoreModel
import AppStoreSigning
import Primitives
import Simulator
import Synchronization
import TestSupport
import Testing

/// Apple's side of a simulated day. It posts signed notifications, retries after one hour and after twelve more, and
/// serves its history to clients with the key.
final class RetryingStore {
    /// Hours between consecutive attempts.
    private static let delays: [Int64] = [1, 12]

    private struct Pending {
        let notification: UnsignedNotification
        var attempts: Int
        var dueAt: Int64
    }

    private let moment: Moment
    let api: SimulatedServerAPI
    private var pending: [Pending] = []
    /// Notifications whose first attempt failed.
    private(set) var failed: [UnsignedNotification] = []

    /// - Parameter pki: the directory of the test certificates.
    init(pki: String, at now: Int64) throws {
        let moment = Moment(now)
        self.moment = moment
        api = SimulatedServerAPI(
            settings: SimulatedServerAPI.Settings(
                app: SimulatedApp(
                    bundleId: BundleId("com.example.app"), appAppleId: AppAppleId(1_234_567_890),
                    environment: .production),
                credentials: try SimulatedAPIKey.credentials(in: pki)),
            pki: try TestCertificateAuthority.load(from: pki),
            clock: Clocks(
                wallMilliseconds: { moment.value }, monotonicNanoseconds: Clocks.system.monotonicNanoseconds))
        try api.start()
    }

    private final class Moment: Sendable {
        private let milliseconds: Atomic<Int64>
        init(_ value: Int64) { milliseconds = Atomic(value) }
        var value: Int64 { milliseconds.load(ordering: .relaxed) }
        func set(_ value: Int64) { milliseconds.store(value, ordering: .relaxed) }
    }

    /// Advances the time.
    func advance(to now: Int64) { moment.set(now) }

    /// Returns the notifications to post at this time: new notifications and due retries.
    func attempts(with new: [UnsignedNotification]) -> [UnsignedNotification] {
        for notification in new { api.register(notification) }
        let due = pending.filter { $0.dueAt <= moment.value }
        return new + due.map(\.notification)
    }

    /// Records the outcome of an attempt.
    func end(_ notification: UnsignedNotification, isDelivered: Bool) {
        api.record(isDelivered ? .status(200) : .failed("connection refused"), of: notification.notificationUUID)
        let index = pending.firstIndex { $0.notification.notificationUUID == notification.notificationUUID }
        guard !isDelivered else {
            if let index { pending.remove(at: index) }
            return
        }
        if index == nil { failed.append(notification) }
        let attempts = index.map { pending[$0].attempts } ?? 0
        if let index { pending.remove(at: index) }
        guard attempts < Self.delays.count else { return }
        pending.append(
            Pending(
                notification: notification, attempts: attempts + 1,
                dueAt: moment.value + Self.delays[attempts] * RenewalDay.hour))
    }
}
