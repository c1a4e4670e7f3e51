/// A handle that answers one request in progress. It contains only values, so it can outlive the request, the
/// connection and the server.
public struct Exchange: Sendable {
    let responses: ResponseQueue
    let listener: Int
    let slot: RequestSlots.Key
    /// Called with each response before the response is posted.
    var observer: (@Sendable (HTTPResponse) -> Void)?

    /// Returns an exchange for the same request that calls `body` with each response before posting it. `body` runs on
    /// the responder's thread and must not block. It also receives responses that are too late, but not those that the
    /// server generates.
    package func observed(by body: @escaping @Sendable (HTTPResponse) -> Void) -> Exchange {
        var exchange = self
        exchange.observer = { [observer] response in
            observer?(response)
            body(response)
        }
        return exchange
    }

    /// Responds to the request and releases its slot. Can be called on any thread. Only the first response is sent;
    /// others are counted and dropped, including those after the handler deadline or the client's departure.
    public func respond(_ response: HTTPResponse) {
        observer?(response)
        responses.post(QueuedResponse(listener: listener, slot: slot, response: response))
    }

    /// Sends the same response to several requests, like ``respond(_:)``, with one wake-up for consecutive exchanges of
    /// a server.
    package static func respond(_ response: HTTPResponse, to exchanges: [Exchange]) {
        for exchange in exchanges { exchange.observer?(response) }
        var rest = exchanges[...]
        while let first = rest.first {
            let together = rest.prefix { $0.responses === first.responses }
            first.responses.post(
                together.map { QueuedResponse(listener: $0.listener, slot: $0.slot, response: response) })
            rest = rest.dropFirst(together.count)
        }
    }

    /// Resets the connection instead of responding, and releases the slot. It follows the rules of ``respond(_:)``.
    /// Intended for simulators of failing servers.
    package func reset() {
        responses.post(QueuedResponse(listener: listener, slot: slot, response: nil))
    }
}
