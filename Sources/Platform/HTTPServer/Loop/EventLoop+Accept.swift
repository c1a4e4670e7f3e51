internal import CSystem
internal import Primitives

// Accepting connections, and evicting others to make room.
extension EventLoop {
    /// Accepts waiting connections. At the connection limit, an existing connection is evicted if possible, because the
    /// new one may come from an authentic client.
    func accept(at acceptor: Acceptor, atMost limit: Int) {
        var peer = [UInt8](repeating: 0, count: 16)
        var hasEvicted = false
        for _ in 0..<limit where acceptor.socket >= 0 {
            let socket = cs_accept(acceptor.socket, &peer)
            if socket < 0 {
                if socket == -ECONNABORTED || socket == -EINTR { continue }
                if !hasEvicted, socket == -EMFILE || socket == -ENFILE {
                    // EMFILE is reported even if no connection is waiting.
                    guard cs_has_waiting(acceptor.socket) != 0 else { return }
                    hasEvicted = evictOne()
                    if hasEvicted { continue }
                }
                if socket != -EAGAIN { pause(acceptor) }
                return
            }
            now = clock()
            admit(socket, peer, at: acceptor)
            // After an eviction, no more connections are accepted in this pass. Otherwise, the next connection could
            // evict the new one before its request is read.
            if hasEvicted { return }
        }
    }

    /// Evicts a connection to make room for a new one when no descriptors are left, which can happen long before the
    /// connection limit is reached. Without this, a few slow untrusted clients could lock out all others until their
    /// deadlines. Returns false if no connection can be evicted.
    private func evictOne() -> Bool {
        guard let leaving = connectionToEvict(at: nil) else { return false }
        counters.update(leaving.acceptor.index) { $0.evicted += 1 }
        close(leaving, reason: leaving.state.lost() == nil ? nil : "evicted")
        return true
    }

    /// Stops watching the listener until the next sweep. Called when memory is exhausted, or when no descriptors are
    /// left and no connection can be evicted. Level-triggered epoll would otherwise report the listener continuously.
    private func pause(_ acceptor: Acceptor) {
        acceptor.isPaused = true
        poller.change(acceptor.socket, [], key: Self.key(of: acceptor))
        counters.update(acceptor.index) { $0.acceptPauses += 1 }
    }

    private func admit(_ socket: Int32, _ peer: [UInt8], at acceptor: Acceptor) {
        let network = NetworkPrefix.ofPeer(peer)
        let isFromProxy = acceptor.limits.isProxy(.ofAddress(peer))
        guard isFromProxy || acceptor.rate.admits(network, now: now) else {
            counters.update(acceptor.index) { $0.refusedByRate += 1 }
            requestEnded(
                RequestOutcome(
                    listener: acceptor.index, reason: "rate", status: 0, bodyBytes: 0, network: network, nanoseconds: 0)
            )
            cs_close(socket)
            return
        }
        if acceptor.connections >= acceptor.limits.connections {
            guard let leaving = connectionToEvict(at: acceptor) else {
                counters.update(acceptor.index) { $0.refusedByCapacity += 1 }
                cs_close(socket)
                return
            }
            counters.update(acceptor.index) { $0.evicted += 1 }
            close(leaving, reason: leaving.state.lost() == nil ? nil : "evicted")
        }
        open(socket, at: acceptor, peer: network, isFromProxy: isFromProxy)
    }

    /// Chooses the connection to evict, in this order: lingering connections; the longest-idle connection that has
    /// already been served; the connection that has been sending its first request the longest; the one that has been
    /// sending a later request the longest. Having been served does not protect an idle connection, because any client
    /// can get a 404. Requests in progress are never dropped.
    ///
    /// - Parameter acceptor: restricts the choice to one acceptor; nil means all acceptors.
    private func connectionToEvict(at acceptor: Acceptor?) -> Connection? {
        var best: (rank: Int, connection: Connection)?
        for connection in connections.inUse where acceptor == nil || connection.acceptor === acceptor {
            let rank: Int
            switch connection.state.phase {
            case .lingering: rank = 0
            case .head where connection.state.wasServed && connection.state.isIdle: rank = 1
            case .head, .body: rank = connection.state.wasServed ? 3 : 2
            case .working, .sending: continue
            }
            if let known = best,
                (known.rank, known.connection.state.startedAt) <= (rank, connection.state.startedAt)
            {
                continue
            }
            best = (rank, connection)
        }
        return best?.connection
    }
}
