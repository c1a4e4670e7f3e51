internal import CSockets
internal import Synchronization

/// A response on its way to the loop.
struct QueuedResponse: Sendable {
    let listener: Int
    let slot: RequestSlots.Key
    /// `nil`: the connection is reset.
    let response: HTTPResponse?
}

/// How a loop is to end.
struct DrainRequest: Sendable {
    /// All of it takes no longer.
    var limit: Duration
    /// New connections are accepted for so long.
    var accepting: Duration
}

/// What other threads tell the loop. The responses that count are bounded by the requests in progress.
final class ResponseQueue: Sendable {
    private struct State {
        var pending: [QueuedResponse] = []
        var drain: DrainRequest?
        var hasNews = false
        var isAsleep = false
        var isClosed = false
    }

    /// An eventfd. It is closed when the last exchange is gone and not before, so that a late response never writes to
    /// another file that got the same number.
    let descriptor: Int32
    private let state = Mutex(State())

    init(descriptor: Int32) { self.descriptor = descriptor }

    deinit { cs_close(descriptor) }

    func post(_ queued: QueuedResponse) {
        change { $0.pending.append(queued) }
    }

    func post(_ queued: [QueuedResponse]) {
        change { $0.pending += queued }
    }

    /// The loop ends within these times; an earlier request with shorter ones keeps them.
    func requestDrain(_ request: DrainRequest) {
        change { state in
            let earlier = state.drain ?? request
            state.drain = DrainRequest(
                limit: min(earlier.limit, request.limit), accepting: min(earlier.accepting, request.accepting))
        }
    }

    private func change(_ change: (inout State) -> Void) {
        let wasAsleep = state.withLock { state in
            guard !state.isClosed else { return false }
            change(&state)
            state.hasNews = true
            defer { state.isAsleep = false }
            return state.isAsleep
        }
        // Only a loop that sleeps is woken: answers given while it works cost no system call.
        if wasAsleep { cs_eventfd_signal(descriptor) }
    }

    /// Swaps what came since the last call, in order, for the empty array given. Returns how to end, if it is to end.
    func take(into queue: inout [QueuedResponse]) -> DrainRequest? {
        state.withLock { state in
            state.hasNews = false
            swap(&state.pending, &queue)
            return state.drain
        }
    }

    /// Called by the loop before it waits. False: something came meanwhile, so it must not wait.
    func fallAsleep() -> Bool {
        state.withLock { state in
            state.isAsleep = !state.hasNews
            return state.isAsleep
        }
    }

    /// Called by the loop when it has waited: what comes from here on is taken in this pass, and needs no wake-up.
    func awake() { state.withLock { $0.isAsleep = false } }

    /// The loop has ended: nothing is taken any more.
    func shut() {
        state.withLock { state in
            state.isClosed = true
            state.pending = []
        }
    }
}
