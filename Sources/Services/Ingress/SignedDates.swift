internal import Synchronization

/// Detects a slow clock from Apple's signatures. A notification signed more than a day ahead of the clock is evidence;
/// three distinct ones without a plausible one in between suffice.
///
/// Each of these notifications gets a 503 response in any case. The result affects only readiness: while this instance
/// is not ready, other instances get the notifications. The instance becomes ready again a few minutes after the last
/// contradiction.
final class SignedDates: Sendable {
    private struct State {
        var digests: Set<[UInt8]> = []
        /// The arrival time of the last contradicting notification, in monotonic milliseconds.
        var last: Int64 = 0
    }

    private static let enough = 3
    private static let remembered: Int64 = 300_000

    private let state = Mutex(State())

    /// Records a notification with a plausible signing time.
    func agreed() { state.withLock { $0.digests.removeAll(keepingCapacity: true) } }

    /// Records a notification signed more than a day ahead of the clock.
    /// - Parameters:
    ///   - digest: the digest of the signed bytes; copies of a notification are not additional evidence.
    ///   - now: the time in monotonic milliseconds.
    func contradicted(by digest: [UInt8]?, at now: Int64) {
        guard let digest else { return }
        state.withLock { state in
            if now - state.last >= Self.remembered { state.digests.removeAll(keepingCapacity: true) }
            if state.digests.count < Self.enough { state.digests.insert(digest) }
            state.last = now
        }
    }

    /// Returns whether the signatures contradict the clock.
    /// - Parameter now: the time in monotonic milliseconds.
    func contradictClock(at now: Int64) -> Bool {
        state.withLock { $0.digests.count >= Self.enough && now - $0.last < Self.remembered }
    }
}
