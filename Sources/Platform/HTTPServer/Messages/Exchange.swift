/// The address of one request in work: values only, so it may outlive request, connection and server.
package struct Exchange: Sendable {
    let responses: ResponseQueue
    let listener: Int
    let slot: RequestSlots.Key

    /// Answers the request and gives its slot back. Any thread; the first answer wins, later ones are counted and
    /// dropped, as are those that come after the handler deadline or after the client went away.
    package func respond(_ response: HTTPResponse) {
        responses.post(QueuedResponse(listener: listener, slot: slot, response: response))
    }
}
