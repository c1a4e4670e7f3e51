internal import Synchronization

/// What Apple's signatures say about this machine's clock: a notification signed more than a day ahead of it is
/// evidence that the clock is slow, and three different ones with none that agrees between them are enough.
///
/// Each of them is answered 503 by itself. What is decided here is whether the ingress is ready: while it is not, others
/// get the notifications, and so it is asked again some minutes after the last of them.
final class SignedDates: Sendable {
    private struct State {
        var digests: Set<[UInt8]> = []
        /// When the last one came, monotonic milliseconds.
        var last: Int64 = 0
    }

    private static let enough = 3
    private static let remembered: Int64 = 300_000

    private let state = Mutex(State())

    /// A notification was signed at a time that this clock can be right about.
    func agreed() { state.withLock { $0.digests.removeAll(keepingCapacity: true) } }

    /// One was signed more than a day ahead.
    /// - Parameters:
    ///   - digest: of what was signed; a copy says nothing new.
    ///   - now: monotonic milliseconds.
    func contradicted(by digest: [UInt8]?, at now: Int64) {
        guard let digest else { return }
        state.withLock { state in
            if now - state.last >= Self.remembered { state.digests.removeAll(keepingCapacity: true) }
            if state.digests.count < Self.enough { state.digests.insert(digest) }
            state.last = now
        }
    }

    /// Whether the clock is to be looked at.
    /// - Parameter now: monotonic milliseconds.
    func contradictClock(at now: Int64) -> Bool {
        state.withLock { $0.digests.count >= Self.enough && now - $0.last < Self.remembered }
    }
}
