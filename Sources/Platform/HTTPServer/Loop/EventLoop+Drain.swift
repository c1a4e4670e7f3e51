internal import CSockets
internal import Concurrency
internal import Time

// The end: clients learn from their responses that the connection closes, and nothing that was accepted is lost.
extension EventLoop {
    struct Drain {
        let startedAt: UInt64
        /// Nanoseconds after the start.
        var limit: UInt64
        /// Nanoseconds after the start until which new connections are accepted.
        var accepting: UInt64

        init(_ request: DrainRequest, startedAt: UInt64) {
            self.startedAt = startedAt
            limit = UInt64(request.limit.clampedNanoseconds)
            accepting = min(UInt64(request.accepting.clampedNanoseconds), limit / 2)
        }

        /// So long idle connections stay, because their clients may be sending at this moment.
        var grace: UInt64 { accepting + min(1_000_000_000, limit / 4) }
    }

    private var drainTime: UInt64 { drain.map { drainClock() - $0.startedAt } ?? 0 }

    func startDrain(_ request: DrainRequest) {
        drain = Drain(request, startedAt: drain?.startedAt ?? drainClock())
    }

    func advanceDrain() {
        guard let drain else { return }
        let time = drainTime
        if time >= drain.accepting { stopAccepting() }
        guard time >= drain.grace else { return }
        for connection in connections.inUse
        where connection.state.phase == .head && connection.state.isIdle && cs_pending(connection.socket) == 0 {
            close(connection, reason: nil)
        }
    }

    /// What the system already accepted is taken; from here on it refuses.
    private func stopAccepting() {
        for acceptor in acceptors where acceptor.socket >= 0 {
            accept(at: acceptor, atMost: 4096)
            cs_close(acceptor.socket)
            acceptor.socket = -1
        }
    }

    var isDrained: Bool {
        guard let drain else { return false }
        let isAccepting = acceptors.contains { $0.socket >= 0 }
        return !isAccepting && connections.count == 0 || drainTime >= drain.limit
    }
}
