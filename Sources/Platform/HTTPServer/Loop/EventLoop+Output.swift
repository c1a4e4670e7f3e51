internal import CSystem
internal import Primitives

// Sending responses.
extension EventLoop {
    /// Releases the slot of a handler's response and, if the client is still waiting, sends the response.
    func deliver(_ queued: QueuedResponse) {
        now = clock()
        let acceptor = acceptors[queued.listener]
        guard let request = acceptor.slots.release(queued.slot) else {
            counters.update(acceptor.index) { $0.responsesDropped += 1 }
            return
        }
        acceptor.bodyBytes -= request.bodyBytes
        guard let connection = connections[request.connection],
            connection.number == request.number, connection.state.phase == .working
        else {
            counters.update(acceptor.index) { $0.responsesDropped += 1 }
            return
        }
        guard let response = queued.response else {
            cs_reset_when_closed(connection.socket)
            return close(connection, reason: "reset")
        }
        decide(connection, reason: response.reason, status: response.status)
        let (keeps, omitsBody) = connection.state.reply(closes: response.closes, isDraining: drain != nil, now: now)
        if let action = send(response, keeps: keeps, omitsBody: omitsBody, on: connection) {
            perform(action, on: connection)
        }
    }

    /// Sends as many bytes as the socket accepts. Returns the next action, or nil if bytes remain to be sent.
    func send(_ response: HTTPResponse, keeps: Bool, omitsBody: Bool, on connection: Connection) -> ConnectionState
        .Action?
    {
        connection.number &+= 1
        let body = encoder.encode(
            response, keeps: keeps, omitsBody: omitsBody, wallSeconds: SystemClock.wallMilliseconds() / 1000)
        let headSent = encoder.bytes.withUnsafeBytes { Self.push($0, to: connection.socket, more: !body.isEmpty) }
        guard headSent >= 0 else { return .close(reason: nil) }
        var bodySent = 0
        if headSent == encoder.bytes.count, !body.isEmpty {
            bodySent = body.withUnsafeBytes { Self.push($0, to: connection.socket, more: false) }
            guard bodySent >= 0 else { return .close(reason: nil) }
        }
        if headSent == encoder.bytes.count, bodySent == body.count { return connection.state.sent(now: now) }
        let unsent = UnsentResponse(head: encoder.bytes, from: headSent, body: body, from: bodySent)
        let acceptor = connection.acceptor
        guard unsent.count <= acceptor.limits.unsentBytes - acceptor.unsentBytes else { return .close(reason: nil) }
        acceptor.unsentBytes += unsent.count
        connection.unsent = unsent
        watch(connection, .output)
        return nil
    }

    func sendMore(_ connection: Connection) {
        let before = connection.unsent.count
        var isBroken = false
        connection.unsent.drain { bytes in
            let sent = Self.push(bytes, to: connection.socket, more: false)
            isBroken = sent < 0
            return sent
        }
        connection.acceptor.unsentBytes -= before - connection.unsent.count
        if isBroken {
            close(connection, reason: nil)
        } else if connection.unsent.count == 0 {
            perform(connection.state.sent(now: now), on: connection)
        }
    }

    func sendContinue(_ connection: Connection) -> ConnectionState.Action {
        let bytes = ResponseEncoder.continues
        let sent = bytes.withUnsafeBytes { Self.push($0, to: connection.socket, more: false) }
        // The socket's buffer lacks space for these 25 bytes only if the peer is not reading earlier responses.
        return sent == bytes.count ? .wait : .close(reason: "aborted")
    }

    /// Returns the number of bytes accepted, 0 if the socket buffer is full, or a negative value if the peer is gone.
    private static func push(_ bytes: UnsafeRawBufferPointer, to socket: Int32, more: Bool) -> Int {
        let sent = cs_send(socket, bytes.baseAddress, bytes.count, more ? 1 : 0)
        return sent == -EAGAIN || sent == -EINTR ? 0 : sent
    }
}
