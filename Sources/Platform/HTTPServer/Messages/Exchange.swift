/// The address of one request in progress: values only, so it may outlive request, connection and server.
public struct Exchange: Sendable {
    let responses: ResponseQueue
    let listener: Int
    let slot: RequestSlots.Key
    /// Called with each response before it is posted.
    var observer: (@Sendable (HTTPResponse) -> Void)?

    /// The same request; `body` is called with each response to it first, by whoever responds, and must not wait. It is
    /// called with a response that comes too late as well, and with none that the server gives by itself.
    package func observed(by body: @escaping @Sendable (HTTPResponse) -> Void) -> Exchange {
        var exchange = self
        exchange.observer = { [observer] response in
            observer?(response)
            body(response)
        }
        return exchange
    }

    /// Responds to the request and releases its slot. Any thread; the first response wins, later ones are counted and
    /// dropped, as are those that come after the handler deadline or after the client went away.
    public func respond(_ response: HTTPResponse) {
        observer?(response)
        responses.post(QueuedResponse(listener: listener, slot: slot, response: response))
    }

    /// Responds to several requests alike, as by ``respond(_:)``; those of one server wake it once.
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

    /// Resets the connection in place of a response and releases the slot: for simulators of servers that fail. The
    /// same rules as for ``respond(_:)``.
    package func reset() {
        responses.post(QueuedResponse(listener: listener, slot: slot, response: nil))
    }
}
