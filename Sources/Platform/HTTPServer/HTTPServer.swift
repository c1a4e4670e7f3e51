internal import CSystem
internal import Primitives
internal import Synchronization

/// An HTTP/1.1 server for a strict subset of the protocol. One thread serves all listeners.
///
/// Handlers receive requests as values, and a slot number matches each response to its request, so the loop shares no
/// state with handlers. Sources: RFC 9110 and RFC 9112.
public final class HTTPServer: Sendable {
    private enum State {
        case created
        case running(ResponseQueue, Completion, ports: [UInt16])
    }

    private let listeners: [Listener]
    private let requestEnded: @Sendable (RequestOutcome) -> Void
    private let clock: @Sendable () -> UInt64
    private let drainClock: @Sendable () -> UInt64
    private let shared: SharedCounters
    private let state = Mutex(State.created)

    /// Creates a server but does not start it.
    public convenience init(listeners: [Listener]) { self.init(listeners: listeners, requestEnded: { _ in }) }

    /// Creates a server with its own clocks and an observer of request outcomes.
    ///
    /// - Parameters:
    ///   - clock: returns monotonic nanoseconds for all deadlines except drain deadlines.
    ///   - drainClock: returns monotonic nanoseconds for drains, so that a drain ends even if `clock` is manual.
    ///   - requestEnded: called on the loop thread exactly once per request.
    package init(
        listeners: [Listener],
        clock: @escaping @Sendable () -> UInt64 = SystemClock.monotonicNanoseconds,
        drainClock: @escaping @Sendable () -> UInt64 = SystemClock.monotonicNanoseconds,
        requestEnded: @escaping @Sendable (RequestOutcome) -> Void = { _ in }
    ) {
        self.listeners = listeners
        self.requestEnded = requestEnded
        self.clock = clock
        self.drainClock = drainClock
        shared = SharedCounters(listeners: listeners.count)
    }

    deinit {
        state.withLock { state in
            if case .running(let responses, _, _) = state {
                responses.requestDrain(DrainRequest(limit: .zero, accepting: .zero))
            }
        }
    }

    /// Binds every listener and starts the loop thread. If either fails, no listener remains bound.
    ///
    /// - Throws: `addressInUse`, `badHost` or `notPermitted`, with the host and the port in the message;
    ///   `alreadyStarted`; `system`.
    public func start() throws(HTTPServerError) {
        let result = state.withLock { state in
            Result { () throws(HTTPServerError) in
                guard case .created = state else {
                    throw HTTPServerError(
                        code: .alreadyStarted, message: "the server has already been started", host: "", port: 0)
                }
                state = try launch()
            }
        }
        try result.get()
    }

    /// Returns the port that a listener is bound to, or 0 if the server has not been started or has no listener with
    /// this index.
    public func port(of listener: Int = 0) -> UInt16 {
        state.withLock { state in
            guard case .running(_, _, let ports) = state, ports.indices.contains(listener) else { return 0 }
            return ports[listener]
        }
    }

    /// Each listener's counters, in the order passed to `init`.
    package var counters: [ListenerCounters] { shared.snapshot() }

    /// The number of loop passes that took 50 ms or more and delayed everything else on the loop.
    package var slowPasses: Int { shared.slowPasses.load(ordering: .relaxed) }

    /// Drains and stops the server. It continues to accept connections for the duration `accepting`, accepts those that
    /// the kernel has already queued, closes the listeners, completes the requests in progress, and drops any that
    /// remain after `limit`. Every response sent during a drain contains `Connection: close`. Returns when the thread
    /// has ended; a second call waits for the same drain.
    ///
    /// - Parameter accepting: the time for a load balancer to notice that this server is shutting down; at most half of
    ///   `limit` is used.
    public func drain(within limit: Duration = .seconds(8), accepting: Duration = .zero) async {
        let running: (ResponseQueue, Completion)? = state.withLock { state in
            guard case .running(let responses, let end, _) = state else { return nil }
            return (responses, end)
        }
        guard let (responses, end) = running else { return }
        responses.requestDrain(DrainRequest(limit: limit, accepting: accepting))
        await end.wait()
    }

    // MARK: Start

    private func launch() throws(HTTPServerError) -> State {
        var sockets: [Int32] = []
        do {
            for listener in listeners { sockets.append(try Self.listen(listener)) }
            let poller = try Self.checked(cs_epoll_create(), "failed to create the event queue")
            sockets.append(poller)
            let wake = try Self.checked(cs_eventfd_create(), "failed to create the wake-up descriptor")
            let responses = ResponseQueue(descriptor: wake)
            let end = Completion()
            let ports = sockets.prefix(listeners.count).map { UInt16(truncatingIfNeeded: max(0, cs_local_port($0))) }
            let (listeners, requestEnded, counters) = (listeners, requestEnded, shared)
            let (clock, drainClock) = (clock, drainClock)
            let bound = Array(sockets.prefix(listeners.count))
            let error = OwnThread.start(name: "http") {
                let loop = EventLoop(
                    listeners: listeners, sockets: bound, poller: Poller(descriptor: poller), responses: responses,
                    counters: counters, clock: clock, drainClock: drainClock, requestEnded: requestEnded)
                loop.run()
                end.complete()
            }
            _ = try Self.checked(-error, "failed to start the thread")
            return .running(responses, end, ports: ports)
        } catch {
            for socket in sockets { cs_close(socket) }
            throw error
        }
    }

    private static func listen(_ listener: Listener) throws(HTTPServerError) -> Int32 {
        let host = listener.host == "localhost" ? "127.0.0.1" : listener.host
        let result = host.isEmpty ? -EINVAL : cs_listen(host, listener.port, 1024)
        if result >= 0 { return result }
        let address = "\(listener.host):\(listener.port)"
        let (code, message): (HTTPServerError.Code, String) =
            switch -result {
            case EADDRINUSE:
                (
                    .addressInUse,
                    "cannot listen on \(address): the port is in use; stop the other process or choose a different port"
                )
            case EINVAL:
                (
                    .badHost,
                    "cannot listen on \(address): not a numeric address; use one such as 127.0.0.1, 0.0.0.0 or ::"
                )
            case EADDRNOTAVAIL:
                (
                    .badHost,
                    "cannot listen on \(address): not an address of this machine; "
                        + "use 0.0.0.0 to listen on all addresses"
                )
            case EACCES:
                (.notPermitted, "cannot listen on \(address): no permission; choose a port above 1023")
            default:
                (.system, "cannot listen on \(address): \(Self.text(-result))")
            }
        throw HTTPServerError(code: code, message: message, host: listener.host, port: listener.port)
    }

    private static func checked(_ result: Int32, _ what: String) throws(HTTPServerError) -> Int32 {
        if result >= 0 { return result }
        throw HTTPServerError(code: .system, message: "\(what): \(text(-result))", host: "", port: 0)
    }

    private static func text(_ error: Int32) -> String {
        guard let text = strerror(error) else { return "error \(error)" }
        return String(cString: text)
    }
}
