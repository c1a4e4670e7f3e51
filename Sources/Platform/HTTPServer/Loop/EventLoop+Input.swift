internal import CSystem
internal import Primitives

// Reading input and dispatching requests.
extension EventLoop {
    func ready(_ connection: Connection, _ readiness: Readiness) {
        switch connection.state.phase {
        case .sending:
            if !readiness.isDisjoint(with: .broken) {
                close(connection, reason: connection.state.lost())
            } else if readiness.contains(.output) {
                sendMore(connection)
            }
        case .working where !readiness.isDisjoint(with: .broken):
            close(connection, reason: connection.state.lost())
        case .head, .body, .working, .lingering:
            receive(connection)
        }
    }

    private func receive(_ connection: Connection) {
        var count = 0
        let action =
            connection.state.directBodyBytes > 0
            ? receiveBody(connection, &count) : receiveAnything(connection, &count)
        if count > 0 {
            perform(action, on: connection)
            cutBodies(at: connection.acceptor)
        } else if count == 0 {
            perform(connection.state.endOfInput(), on: connection)
        } else if count != -EAGAIN && count != -EINTR {
            close(connection, reason: connection.state.lost())
        }
    }

    /// Reads directly into the body's array.
    private func receiveBody(_ connection: Connection, _ count: inout Int) -> ConnectionState.Action {
        let socket = connection.socket
        return connection.state.receiveBody(now: now) { space in
            space.withUnsafeMutableBufferPointer { bytes, initialized in
                count = cs_receive(socket, bytes.baseAddress, bytes.count)
                if count > 0 { initialized += count }
            }
        }
    }

    /// Reads into the loop's shared buffer, so that an idle connection needs no memory.
    private func receiveAnything(_ connection: Connection, _ count: inout Int) -> ConnectionState.Action {
        var limit = received.count
        if connection.state.phase == .working {
            // Never 0, because a read of 0 bytes would look like the end of input.
            limit = max(1, connection.acceptor.limits.readAheadBytes - connection.state.readAheadBytes)
        }
        count = received.withUnsafeMutableBytes { bytes in
            cs_receive(connection.socket, bytes.baseAddress, min(limit, bytes.count))
        }
        guard count > 0 else { return .wait }
        let action = received.withUnsafeBufferPointer { bytes in
            connection.state.received(bytes.extracting(..<count).span, now: now)
        }
        received.withUnsafeMutableBytes { wipe(UnsafeMutableRawBufferPointer(rebasing: $0[..<count])) }
        return action
    }

    /// Performs an action and any further actions that result from it.
    func perform(_ first: ConnectionState.Action, on connection: Connection) {
        var next: ConnectionState.Action? = first
        while let action = next {
            next = nil
            recount(connection)
            if let client = connection.state.takeNewClient(peer: connection.peer),
                !connection.acceptor.rate.admits(client, now: now)
            {
                counters.update(connection.acceptor.index) { $0.refusedByRate += 1 }
                if connection.state.phase != .sending {
                    next = connection.state.refuse(429, "rate", now: now)
                    continue
                }
            }
            switch action {
            case .wait:
                watchInput(connection)
            case .sendContinue:
                next = sendContinue(connection)
            case .dispatch(let head, let body):
                next = dispatch(head, body, connection)
            case .refuse(let response):
                decide(connection, reason: response.reason, status: response.status)
                next = send(response, keeps: false, omitsBody: false, on: connection)
            case .linger:
                cs_end_output(connection.socket)
                watchInput(connection)
            case .close(let reason):
                close(connection, reason: reason)
            }
        }
    }

    func watchInput(_ connection: Connection) {
        watch(connection, connection.state.wantsInput ? .input : [])
    }

    func watch(_ connection: Connection, _ readiness: Readiness) {
        guard connection.watched != readiness else { return }
        connection.watched = readiness
        poller.change(connection.socket, readiness, key: connection.eventKey)
    }

    /// Dispatches a request. The slot is acquired only now, not after the head has been read, so that slow bodies
    /// cannot exhaust the slots.
    private func dispatch(_ head: RequestHead, _ body: [UInt8], _ connection: Connection) -> ConnectionState.Action? {
        let acceptor = connection.acceptor
        guard !acceptor.slots.isFull else {
            head.wipe()
            body.wipe()
            return connection.state.refuse(503, "overload", now: now)
        }
        let slot = acceptor.slots.acquire(
            RequestSlots.Request(connection: connection.key, number: connection.number, bodyBytes: body.count))
        acceptor.bodyBytes += body.count
        acceptor.dispatched = true
        watchInput(connection)
        acceptor.listener.handle(
            HTTPRequest(
                head: head, body: body, network: connection.network,
                hasUnknownClient: connection.state.hasUnknownClient, isFromProxy: connection.state.isFromProxy,
                startedAt: connection.state.startedAt, receivedAt: now),
            Exchange(responses: responses, listener: acceptor.index, slot: slot))
        return nil
    }

    // MARK: Memory limits

    /// Updates the acceptor's byte count for this connection.
    private func recount(_ connection: Connection) {
        let bytes = connection.state.bodyBytes + connection.state.readAheadBytes
        connection.acceptor.bodyBytes += bytes - connection.countedBodyBytes
        connection.countedBodyBytes = bytes
    }

    /// Enforces the limit on body bytes. Requests in progress on connections with read-ahead bytes are refused first,
    /// and then the request whose body has been arriving the longest, not the newest request.
    private func cutBodies(at acceptor: Acceptor) {
        while acceptor.bodyBytes > acceptor.limits.bodyBytes {
            var first: Connection?
            for connection in connections.inUse
            where connection.acceptor === acceptor && connection.countedBodyBytes > 0
                && (connection.state.phase == .body || connection.state.phase == .working)
            {
                if first.map({ isCut(connection, before: $0) }) ?? true { first = connection }
            }
            guard let first else { return }
            perform(first.state.refuse(503, "memory", now: now), on: first)
        }
    }

    private func isCut(_ connection: Connection, before other: Connection) -> Bool {
        let (isAhead, isOtherAhead) = (connection.state.phase == .working, other.state.phase == .working)
        return isAhead == isOtherAhead ? connection.state.startedAt < other.state.startedAt : isAhead
    }
}
