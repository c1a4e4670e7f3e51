import Synchronization

/// A monotonic clock in nanoseconds that advances only when the test advances it.
package final class ManualClock: Sendable {
    private let value = Atomic<UInt64>(1_000_000_000)

    package init() {}

    package var now: UInt64 { value.load(ordering: .relaxed) }

    package func advance(by duration: Duration) {
        value.add(UInt64(duration / .nanoseconds(1)), ordering: .relaxed)
    }
}
