internal import CSockets

// Answers on their way out.
extension EventLoop {
    /// An answer came back. Its place is free from here on, whether or not somebody still waits for it.
    func deliver(_ mail: Mail) {
        now = clock()
        let door = doors[mail.listener]
        guard let request = door.places.giveBack(mail.place, mail.generation) else {
            counters.update(door.index) { $0.answersDropped += 1 }
            return
        }
        door.bodyBytes -= request.bodyBytes
        guard let connection = connection(slot: request.slot, generation: request.connection),
            connection.number == request.number, connection.state.phase == .working
        else {
            counters.update(door.index) { $0.answersDropped += 1 }
            return
        }
        decide(connection, reason: mail.answer.reason, status: mail.answer.status)
        let (keeps, omitsBody) = connection.state.reply(
            closes: mail.answer.closes, isDraining: drain != nil, now: now)
        if let action = send(mail.answer, keeps: keeps, omitsBody: omitsBody, on: connection) {
            perform(action, on: connection)
        }
    }

    /// Sends as much as the socket takes. Returns what follows when it took everything.
    func send(_ answer: Answer, keeps: Bool, omitsBody: Bool, on connection: Connection) -> ConnectionState.Action? {
        connection.number &+= 1
        let body = encoder.encode(answer, keeps: keeps, omitsBody: omitsBody, wallSeconds: cs_wall_seconds())
        let headSent = encoder.bytes.withUnsafeBytes { Self.push($0, to: connection.socket, more: !body.isEmpty) }
        guard headSent >= 0 else { return .close(reason: nil) }
        var bodySent = 0
        if headSent == encoder.bytes.count, !body.isEmpty {
            bodySent = body.withUnsafeBytes { Self.push($0, to: connection.socket, more: false) }
            guard bodySent >= 0 else { return .close(reason: nil) }
        }
        if headSent == encoder.bytes.count, bodySent == body.count { return connection.state.sent(now: now) }
        let unsent = UnsentAnswer(head: encoder.bytes, from: headSent, body: body, from: bodySent)
        let door = connection.door
        guard unsent.count <= door.limits.unsentBytes - door.unsentBytes else { return .close(reason: nil) }
        door.unsentBytes += unsent.count
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
        connection.door.unsentBytes -= before - connection.unsent.count
        if isBroken {
            close(connection, reason: nil)
        } else if connection.unsent.count == 0 {
            perform(connection.state.sent(now: now), on: connection)
        }
    }

    func sendContinue(_ connection: Connection) -> ConnectionState.Action {
        let bytes = AnswerEncoder.continues
        let sent = bytes.withUnsafeBytes { Self.push($0, to: connection.socket, more: false) }
        // A socket that does not take 25 bytes has a peer that never read an answer.
        return sent == bytes.count ? .wait : .close(reason: "aborted")
    }

    /// Bytes taken, 0 when there is no room now, negative when the peer is gone.
    private static func push(_ bytes: UnsafeRawBufferPointer, to socket: Int32, more: Bool) -> Int {
        let sent = cs_send(socket, bytes.baseAddress, bytes.count, more ? 1 : 0)
        return sent == -EAGAIN || sent == -EINTR ? 0 : sent
    }
}
