internal import CSystem
internal import Synchronization

/// A response on its way to the loop.
struct QueuedResponse: Sendable {
    let listener: Int
    let slot: RequestSlots.Key
    /// The response, or nil to reset the connection.
    let response: HTTPResponse?
}

/// The limits for a drain.
struct DrainRequest: Sendable {
    /// The maximum duration of the whole drain.
    var limit: Duration
    /// The time during which connections are still accepted.
    var accepting: Duration
}

/// Passes responses and drain requests from other threads to the loop. The queue needs no limit, because the loop sends
/// at most one response for each slot and drops all others.
final class ResponseQueue: Sendable {
    private struct State {
        var pending: [QueuedResponse] = []
        var drain: DrainRequest?
        var hasNews = false
        var isAsleep = false
        var isClosed = false
    }

    /// An eventfd. It remains open until the last exchange is released, so that a late response never writes to a
    /// different file with the same descriptor number.
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

    /// Requests a drain within these times. Shorter times from an earlier request still apply.
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
        // Wakes the loop only if it is asleep, so that responses posted while it works cost no system call.
        if wasAsleep { cs_eventfd_signal(descriptor) }
    }

    /// Swaps the responses posted since the last call, in order, for the given empty array. Returns the requested
    /// drain, if any.
    func take(into queue: inout [QueuedResponse]) -> DrainRequest? {
        state.withLock { state in
            state.hasNews = false
            swap(&state.pending, &queue)
            return state.drain
        }
    }

    /// Called by the loop before it waits. Returns false if the loop must not wait, because something has been posted
    /// since the last call of `take`.
    func fallAsleep() -> Bool {
        state.withLock { state in
            state.isAsleep = !state.hasNews
            return state.isAsleep
        }
    }

    /// Called by the loop after it has waited. Items posted after this call are processed in this pass without a
    /// wake-up.
    func awake() { state.withLock { $0.isAsleep = false } }

    /// Closes the queue after the loop has ended. Later items are dropped.
    func shut() {
        state.withLock { state in
            state.isClosed = true
            state.pending = []
        }
    }
}
