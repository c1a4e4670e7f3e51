internal import HTTPServer

/// Requests that were taken and wait for someone to do them, the oldest first, up to a bound.
struct WaitingExchanges<Request: Sendable>: Sendable {
    /// What was asked for, and who waits for it.
    struct Waiting: Sendable {
        let request: Request
        let exchange: Exchange
    }

    let all: AsyncStream<Waiting>
    private let incoming: AsyncStream<Waiting>.Continuation

    init(atMost maximum: Int) {
        (all, incoming) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(maximum))
    }

    /// - Returns: false when too many wait.
    func take(_ request: Request, _ exchange: Exchange) -> Bool {
        guard case .enqueued = incoming.yield(Waiting(request: request, exchange: exchange)) else { return false }
        return true
    }
}
