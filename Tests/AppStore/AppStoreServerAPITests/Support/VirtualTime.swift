import Primitives
import Synchronization

/// A test's two clocks. They advance only during a wait or when the test moves them.
final class VirtualTime: Sendable {
    /// 2027-01-15T08:00:00Z in milliseconds since 1970.
    static let start: Int64 = 1_800_000_000_000

    private struct State {
        var nanoseconds: UInt64 = 1_000_000_000
        /// A manual correction of the wall clock, in milliseconds.
        var correction: Int64 = 0
    }

    private let state = Mutex(State())

    var clocks: Clocks {
        Clocks(
            wallMilliseconds: {
                self.state.withLock { Self.start + Int64($0.nanoseconds / 1_000_000) - 1000 + $0.correction }
            }, monotonicNanoseconds: { self.now })
    }

    var now: UInt64 { state.withLock { $0.nanoseconds } }

    func advance(by duration: Duration) {
        state.withLock { $0.nanoseconds += UInt64(duration.clampedNanoseconds) }
    }

    func setWallClock(forwardBy duration: Duration) {
        state.withLock { $0.correction += Int64(duration / .milliseconds(1)) }
    }

    /// Advances the time instead of waiting.
    @Sendable func sleep(_ duration: Duration) async throws {
        try Task.checkCancellation()
        advance(by: duration)
    }
}
