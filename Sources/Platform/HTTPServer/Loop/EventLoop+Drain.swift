internal import CSockets
internal import Concurrency
internal import Time

// The end: clients learn from their responses that the connection closes, and nothing that was accepted is lost.
extension EventLoop {
    struct Drain {
        let startedAt: UInt64
        /// Nanoseconds after the start.
        var limit: UInt64

        /// So long idle connections stay, because their clients may be sending at this moment.
        var grace: UInt64 { min(1_000_000_000, limit / 4) }
    }

    /// Drains go by the system's clock, so that they end whatever clock was injected.
    private var drainTime: UInt64 { drain.map { SystemClock.monotonicNanoseconds() - $0.startedAt } ?? 0 }

    func startDrain(within limit: Duration) {
        if drain != nil {
            drain?.limit = UInt64(limit.clampedNanoseconds)
            return
        }
        // What the system already accepted is taken; from here on it refuses.
        for acceptor in acceptors {
            accept(at: acceptor, atMost: 4096)
            cs_close(acceptor.socket)
            acceptor.socket = -1
        }
        drain = Drain(startedAt: SystemClock.monotonicNanoseconds(), limit: UInt64(limit.clampedNanoseconds))
    }

    func advanceDrain() {
        guard let drain, drainTime >= drain.grace else { return }
        for connection in connections.inUse
        where connection.state.phase == .head && connection.state.isIdle && cs_pending(connection.socket) == 0 {
            close(connection, reason: nil)
        }
    }

    var isDrained: Bool {
        guard let drain else { return false }
        return connections.count == 0 || drainTime >= drain.limit
    }
}
