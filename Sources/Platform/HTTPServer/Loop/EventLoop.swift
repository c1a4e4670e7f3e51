internal import CSystem
internal import Primitives
internal import Synchronization

/// A server's event loop, which accepts connections, reads and dispatches requests, sends responses and checks
/// deadlines. Only the loop thread accesses it.
final class EventLoop {
    /// Poller keys at or above this value identify acceptors, except `responsesKey`, which identifies the response
    /// queue.
    private static let firstAcceptorKey: UInt64 = 0xFFFF_FFFF_0000_0000
    private static let responsesKey = UInt64.max
    private static let sweepNanoseconds: UInt64 = 100_000_000
    private static let slowPassNanoseconds: UInt64 = 50_000_000

    let acceptors: [Acceptor]
    var poller: Poller
    let responses: ResponseQueue
    let counters: SharedCounters
    let clock: @Sendable () -> UInt64
    let drainClock: @Sendable () -> UInt64
    let requestEnded: @Sendable (RequestOutcome) -> Void

    var connections = SlotTable<Connection>()
    var received = [UInt8](repeating: 0, count: 64 * 1024)
    var encoder = ResponseEncoder()
    var drain: Drain?
    /// The time when the loop began to process the current event, connection or response. The clock is read once for
    /// each, because a pass can process many.
    var now: UInt64
    private var arrived: [QueuedResponse] = []
    private var sweptAt: UInt64

    init(
        listeners: [Listener], sockets: [Int32], poller: Poller, responses: ResponseQueue, counters: SharedCounters,
        clock: @escaping @Sendable () -> UInt64, drainClock: @escaping @Sendable () -> UInt64,
        requestEnded: @escaping @Sendable (RequestOutcome) -> Void
    ) {
        acceptors = zip(listeners, sockets).enumerated().map { index, pair in
            Acceptor(index: index, listener: pair.0, socket: pair.1)
        }
        self.poller = poller
        self.responses = responses
        self.counters = counters
        self.clock = clock
        self.drainClock = drainClock
        self.requestEnded = requestEnded
        now = clock()
        sweptAt = now
    }

    /// Runs until the drain has finished.
    func run() {
        for acceptor in acceptors { _ = poller.add(acceptor.socket, .input, key: Self.key(of: acceptor)) }
        _ = poller.add(responses.descriptor, .input, key: Self.responsesKey)
        repeat { pass() } while !isDrained
        for connection in connections.inUse {
            close(connection, reason: connection.state.lost() == nil ? nil : "drain")
        }
        for acceptor in acceptors { publishGauges(of: acceptor) }
        responses.shut()
        cs_close(poller.descriptor)
    }

    static func key(of acceptor: Acceptor) -> UInt64 { firstAcceptorKey + UInt64(acceptor.index) }

    // MARK: Event loop pass

    private func pass() {
        let isAsleep = responses.fallAsleep()
        let count = poller.wait(milliseconds: isAsleep ? waitMilliseconds : 0)
        if isAsleep { responses.awake() }
        let startedAt = clock()
        for index in 0..<count {
            now = clock()
            let (key, readiness) = poller.event(index)
            dispatch(key, readiness)
        }
        deliverResponses()
        now = clock()
        // A pass without events always sweeps, so that a test that advances an injected clock does not wait for the
        // next sweep.
        if count == 0 || now &- sweptAt >= Self.sweepNanoseconds { sweep() }
        for acceptor in acceptors {
            if acceptor.dispatched {
                acceptor.dispatched = false
                acceptor.listener.passEnded?()
            }
            publishGauges(of: acceptor)
        }
        advanceDrain()
        if clock() &- startedAt >= Self.slowPassNanoseconds { counters.slowPasses.add(1, ordering: .relaxed) }
    }

    private var waitMilliseconds: Int32 {
        if drain != nil { return 10 }
        return connections.count == 0 && !acceptors.contains { $0.isPaused } ? -1 : 100
    }

    private func dispatch(_ key: UInt64, _ readiness: Readiness) {
        if key == Self.responsesKey {
            cs_eventfd_clear(responses.descriptor)
        } else if key >= Self.firstAcceptorKey {
            let acceptor = acceptors[Int(key - Self.firstAcceptorKey)]
            accept(at: acceptor, atMost: 64)
        } else if let connection = connections[Connection.key(event: key)] {
            ready(connection, readiness)
        }
    }

    private func deliverResponses() {
        if let request = responses.take(into: &arrived) { startDrain(request) }
        for queued in arrived { deliver(queued) }
        arrived.removeAll(keepingCapacity: arrived.count <= 1024)
    }

    private func sweep() {
        sweptAt = now
        for acceptor in acceptors where acceptor.isPaused && acceptor.socket >= 0 {
            acceptor.isPaused = false
            poller.change(acceptor.socket, .input, key: Self.key(of: acceptor))
        }
        for connection in connections.inUse where now >= connection.state.deadline {
            countDeadline(of: connection)
            perform(connection.state.tick(now: now), on: connection)
        }
    }

    private func countDeadline(of connection: Connection) {
        counters.update(connection.acceptor.index) { counters in
            switch connection.state.phase {
            case .head where connection.state.isIdle: counters.idleDeadlines += 1
            case .head: counters.headDeadlines += 1
            case .body: counters.bodyDeadlines += 1
            case .working: counters.handlerDeadlines += 1
            case .sending: counters.sendDeadlines += 1
            case .lingering: break
            }
        }
    }

    private func publishGauges(of acceptor: Acceptor) {
        counters.update(acceptor.index) { counters in
            counters.connections = acceptor.connections
            counters.inFlight = acceptor.slots.taken
            counters.bodyBytes = acceptor.bodyBytes
            counters.unsentBytes = acceptor.unsentBytes
        }
    }

    // MARK: Connections

    func open(_ socket: Int32, at acceptor: Acceptor, peer: NetworkPrefix, isFromProxy: Bool) {
        let connection = connections.add {
            Connection(
                socket: socket, key: $0, acceptor: acceptor, peer: peer,
                state: ConnectionState(rules: acceptor.rules, isFromProxy: isFromProxy, now: now))
        }
        acceptor.connections += 1
        // Both counters are updated together, so that a reader never sees a connection counted as accepted but not yet
        // as open.
        counters.update(acceptor.index) { counters in
            counters.accepted += 1
            counters.connections = acceptor.connections
        }
        if !poller.add(socket, .input, key: connection.eventKey) { close(connection, reason: nil) }
    }

    /// Closes a connection, frees its table slot, and subtracts its bytes from the acceptor's totals. This is the only
    /// function that closes connections. If there is a reason, it is recorded as the outcome of the request in
    /// progress.
    func close(_ connection: Connection, reason: String?) {
        guard connections.remove(connection.key) != nil else { return }
        if let reason { decide(connection, reason: reason, status: 0) }
        connection.state.wipe()
        cs_close(connection.socket)
        connection.acceptor.connections -= 1
        connection.acceptor.bodyBytes -= connection.countedBodyBytes
        connection.acceptor.unsentBytes -= connection.unsent.count
    }

    func decide(_ connection: Connection, reason: String, status: Int) {
        counters.update(connection.acceptor.index) { $0.requestsByStatus[status, default: 0] += 1 }
        requestEnded(
            RequestOutcome(
                listener: connection.acceptor.index, reason: reason, status: status,
                bodyBytes: connection.state.receivedBodyBytes, network: connection.network,
                nanoseconds: now >= connection.state.startedAt ? now - connection.state.startedAt : 0))
    }
}
