internal import HTTPServer

/// A bounded queue of accepted requests, in order of arrival.
struct WaitingExchanges<Request: Sendable>: Sendable {
    /// A request and the exchange that is waiting for its response.
    struct Waiting: Sendable {
        let request: Request
        let exchange: Exchange
    }

    let all: AsyncStream<Waiting>
    private let incoming: AsyncStream<Waiting>.Continuation

    init(atMost maximum: Int) {
        (all, incoming) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(maximum))
    }

    /// - Returns: false if the queue is full.
    func take(_ request: Request, _ exchange: Exchange) -> Bool {
        guard case .enqueued = incoming.yield(Waiting(request: request, exchange: exchange)) else { return false }
        return true
    }
}
