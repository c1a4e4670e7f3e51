import Primitives
import Synchronization

/// Both clocks of a process. They advance only when a test or a wait advances them.
final class VirtualClock: Sendable {
    /// 2026-11-23T12:00:00Z.
    static let start: Int64 = 1_795_435_200_000
    private let elapsed = Atomic<Int64>(0)

    /// Milliseconds since 1970.
    var now: Int64 { Self.start + elapsed.load(ordering: .relaxed) / 1_000_000 }

    func advance(by duration: Duration) { elapsed.add(max(0, duration.clampedNanoseconds), ordering: .relaxed) }

    var clocks: Clocks {
        Clocks(
            wallMilliseconds: { self.now },
            monotonicNanoseconds: { 1_000_000_000 + UInt64(self.elapsed.load(ordering: .relaxed)) })
    }
}
