/// The address of one request in work: values only, so it may outlive request, connection and server.
package struct Exchange: Sendable {
    let mailbox: Mailbox
    let listener: Int
    let place: Int
    let generation: UInt32

    /// Answers the request and gives its place back. Any thread; the first answer wins, later ones are counted and
    /// dropped, as are those that come after the handler deadline or after the client went away.
    package func answer(_ answer: Answer) {
        mailbox.post(Mail(listener: listener, place: place, generation: generation, answer: answer))
    }
}
