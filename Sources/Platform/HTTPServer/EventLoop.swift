internal import CSockets
internal import Synchronization

/// The thread of a server: accepts, reads, hands over, answers, watches the clock. Only this thread touches it.
final class EventLoop {
    /// Keys above this belong to doors, the last one to the mailbox.
    private static let firstDoorKey: UInt64 = 0xFFFF_FFFF_0000_0000
    private static let mailboxKey = UInt64.max
    private static let sweepNanoseconds: UInt64 = 100_000_000
    private static let slowPassNanoseconds: UInt64 = 50_000_000

    let doors: [Door]
    var poller: Poller
    let mailbox: Mailbox
    let counters: SharedCounters
    let clock: @Sendable () -> UInt64
    let decided: @Sendable (Decision) -> Void

    var connections: [Connection?] = []
    private var generations: [UInt32] = []
    private var freeSlots: [Int] = []
    var openConnections = 0
    var received = [UInt8](repeating: 0, count: 64 * 1024)
    var encoder = AnswerEncoder()
    var drain: Drain?
    /// When the event, the new connection or the answer in hand was taken up: read once for each, because a pass can
    /// hold many.
    var now: UInt64
    private var mails: [Mail] = []
    private var sweptAt: UInt64

    init(
        listeners: [Listener], sockets: [Int32], poller: Poller, mailbox: Mailbox, counters: SharedCounters,
        clock: @escaping @Sendable () -> UInt64, decided: @escaping @Sendable (Decision) -> Void
    ) {
        doors = zip(listeners, sockets).enumerated().map { index, pair in
            Door(index: index, listener: pair.0, socket: pair.1)
        }
        self.poller = poller
        self.mailbox = mailbox
        self.counters = counters
        self.clock = clock
        self.decided = decided
        now = clock()
        sweptAt = now
    }

    /// Runs until it has been drained.
    func run() {
        for door in doors { _ = poller.add(door.socket, .input, key: Self.key(of: door)) }
        _ = poller.add(mailbox.descriptor, .input, key: Self.mailboxKey)
        repeat { pass() } while !isDrained
        for case .some(let connection) in connections {
            close(connection, reason: connection.state.lost() == nil ? nil : "drain")
        }
        for door in doors { publishGauges(of: door) }
        mailbox.shut()
        cs_close(poller.descriptor)
    }

    static func key(of door: Door) -> UInt64 { firstDoorKey + UInt64(door.index) }

    // MARK: one pass

    private func pass() {
        let count = poller.wait(milliseconds: mailbox.fallAsleep() ? waitMilliseconds : 0)
        let begun = clock()
        for index in 0..<count {
            now = clock()
            let (key, readiness) = poller.event(index)
            dispatch(key, readiness)
        }
        takeMails()
        now = clock()
        // Without events time may have passed only on an injected clock, so look at once.
        if count == 0 || now &- sweptAt >= Self.sweepNanoseconds { sweep() }
        for door in doors {
            if door.handedOver {
                door.handedOver = false
                door.listener.passEnded?()
            }
            publishGauges(of: door)
        }
        advanceDrain()
        if clock() &- begun >= Self.slowPassNanoseconds { counters.slowPasses.add(1, ordering: .relaxed) }
    }

    private var waitMilliseconds: Int32 {
        if drain != nil { return 10 }
        return openConnections == 0 && !doors.contains { $0.isPaused } ? -1 : 100
    }

    private func dispatch(_ key: UInt64, _ readiness: Readiness) {
        if key == Self.mailboxKey {
            cs_eventfd_clear(mailbox.descriptor)
        } else if key >= Self.firstDoorKey {
            let door = doors[Int(key - Self.firstDoorKey)]
            accept(at: door, atMost: 64)
        } else if let connection = connection(slot: Int(key & 0xFFFF_FFFF), generation: UInt32(key >> 32)) {
            ready(connection, readiness)
        }
    }

    private func takeMails() {
        if let limit = mailbox.take(into: &mails) { beginDrain(within: limit) }
        for mail in mails { deliver(mail) }
        mails.removeAll(keepingCapacity: mails.count <= 1024)
    }

    private func sweep() {
        sweptAt = now
        for door in doors where door.isPaused && door.socket >= 0 {
            door.isPaused = false
            poller.change(door.socket, .input, key: Self.key(of: door))
        }
        for case .some(let connection) in connections where now >= connection.state.deadline {
            countDeadline(of: connection)
            perform(connection.state.tick(now: now), on: connection)
        }
    }

    private func countDeadline(of connection: Connection) {
        counters.update(connection.door.index) { counters in
            switch connection.state.phase {
            case .head where connection.state.isIdle: counters.idleDeadlines += 1
            case .head: counters.headDeadlines += 1
            case .body: counters.bodyDeadlines += 1
            case .working: counters.handlerDeadlines += 1
            case .sending: counters.sendDeadlines += 1
            case .lingering: break
            }
        }
    }

    private func publishGauges(of door: Door) {
        counters.update(door.index) { counters in
            counters.connections = door.connections
            counters.inFlight = door.places.taken
            counters.bodyBytes = door.bodyBytes
            counters.unsentBytes = door.unsentBytes
        }
    }

    // MARK: connections

    /// Nil: it ended, and the slot is free or has another owner.
    func connection(slot: Int, generation: UInt32) -> Connection? {
        guard connections.indices.contains(slot), let connection = connections[slot],
            connection.generation == generation
        else { return nil }
        return connection
    }

    func open(_ socket: Int32, at door: Door, network: NetworkPrefix) {
        let slot = freeSlots.popLast() ?? connections.count
        if slot == connections.count {
            connections.append(nil)
            generations.append(0)
        }
        let connection = Connection(
            socket: socket, slot: slot, generation: generations[slot], door: door, network: network,
            state: ConnectionState(rules: door.rules, now: now))
        connections[slot] = connection
        openConnections += 1
        door.connections += 1
        // Both at once: whoever reads that it was accepted finds it among the open ones too.
        counters.update(door.index) { counters in
            counters.accepted += 1
            counters.connections = door.connections
        }
        if !poller.add(socket, .input, key: connection.key) { close(connection, reason: nil) }
    }

    /// The only place where a connection's socket is closed; its slot, bytes and place among the connections end here.
    /// With a reason, the request that was under way ends with it.
    func close(_ connection: Connection, reason: String?) {
        guard self.connection(slot: connection.slot, generation: connection.generation) === connection else { return }
        if let reason { decide(connection, reason: reason, status: 0) }
        cs_close(connection.socket)
        connections[connection.slot] = nil
        // The last generation is left out: its keys would be those of the doors.
        generations[connection.slot] = (generations[connection.slot] + 1) % (UInt32.max - 1)
        freeSlots.append(connection.slot)
        openConnections -= 1
        connection.door.connections -= 1
        connection.door.bodyBytes -= connection.countedBodyBytes
        connection.door.unsentBytes -= connection.unsent.count
    }

    func decide(_ connection: Connection, reason: String, status: Int) {
        counters.update(connection.door.index) { $0.requestsByStatus[status, default: 0] += 1 }
        decided(
            Decision(
                listener: connection.door.index, reason: reason, status: status,
                bodyBytes: connection.state.receivedBodyBytes, network: connection.network,
                nanoseconds: now >= connection.state.startedAt ? now - connection.state.startedAt : 0))
    }
}
