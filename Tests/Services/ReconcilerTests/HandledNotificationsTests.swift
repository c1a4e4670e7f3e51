import AppStoreModel
import Reconciliation
import Testing

@testable import Reconciler

/// Claims of notifications by concurrent sweeps.
@Suite(.timeLimit(.minutes(1))) struct HandledNotificationsTests {
    private static let hour: Int64 = 3_600_000
    private let handled = HandledNotifications()

    @Test func `a notification is claimed once an hour in each environment, or again after its release`() {
        let mark = NotificationMark(of: "1")
        #expect(handled.claim(mark, in: .production, now: 0))
        #expect(!handled.claim(mark, in: .production, now: Self.hour - 1))
        #expect(handled.claim(mark, in: .sandbox, now: 0))
        #expect(handled.claim(mark, in: .production, now: Self.hour))
        handled.release(mark, in: .production)
        #expect(handled.claim(mark, in: .production, now: Self.hour))
    }

    // A large backfill publishes more notifications in an hour.
    @Test func `many claims that have not expired do not slow further claims`() {
        let claimed = (0..<85_000).count { handled.claim(NotificationMark(of: "\($0)"), in: .production, now: 0) }
        #expect(claimed == 85_000)
        #expect(!handled.claim(NotificationMark(of: "0"), in: .production, now: Self.hour - 1))
        #expect(handled.claim(NotificationMark(of: "0"), in: .production, now: Self.hour))
    }
}
