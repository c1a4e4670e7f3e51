internal import CSystem
internal import Primitives

// Draining: responses announce that the connection will be closed, and no accepted request is lost.
extension EventLoop {
    struct Drain {
        let startedAt: UInt64
        /// The maximum duration of the drain, in nanoseconds.
        var limit: UInt64
        /// How long connections are still accepted after the drain starts, in nanoseconds.
        var accepting: UInt64

        init(_ request: DrainRequest, startedAt: UInt64) {
            self.startedAt = startedAt
            limit = UInt64(request.limit.clampedNanoseconds)
            accepting = min(UInt64(request.accepting.clampedNanoseconds), limit / 2)
        }

        /// How long idle connections remain open after the drain starts, in nanoseconds. Their clients may be about to
        /// send requests.
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

    /// Accepts connections already queued by the kernel, then closes the listeners.
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
