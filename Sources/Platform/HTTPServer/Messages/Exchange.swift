/// A handle for answering one request in progress. It holds only values, so it may outlive the request, the connection
/// and the server.
public struct Exchange: Sendable {
    let responses: ResponseQueue
    let listener: Int
    let slot: RequestSlots.Key
    /// Called with each response before it is posted.
    var observer: (@Sendable (HTTPResponse) -> Void)?

    /// Returns an exchange for the same request that calls `body` with each response before it is posted, on the
    /// responder's thread; `body` must not block. It also sees responses that come too late, but not those that the
    /// server generates itself.
    package func observed(by body: @escaping @Sendable (HTTPResponse) -> Void) -> Exchange {
        var exchange = self
        exchange.observer = { [observer] response in
            observer?(response)
            body(response)
        }
        return exchange
    }

    /// Responds to the request and releases its slot. May be called on any thread. The first response wins; later
    /// responses are counted and dropped, as are those sent after the handler deadline or after the client has
    /// disconnected.
    public func respond(_ response: HTTPResponse) {
        observer?(response)
        responses.post(QueuedResponse(listener: listener, slot: slot, response: response))
    }

    /// Sends the same response to several requests, as ``respond(_:)`` does, with one wake-up for consecutive exchanges
    /// of a server.
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

    /// Resets the connection instead of responding, and releases the slot; for simulators of failing servers. The rules
    /// of ``respond(_:)`` apply.
    package func reset() {
        responses.post(QueuedResponse(listener: listener, slot: slot, response: nil))
    }
}
