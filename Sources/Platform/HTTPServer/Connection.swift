/// An open socket of the loop. Only the loop thread touches it.
final class Connection {
    let socket: Int32
    let slot: Int
    let generation: UInt32
    let door: Door
    let network: NetworkPrefix
    var state: ConnectionState
    var watched = Readiness.input
    /// Raised by every answer, so that an answer for an earlier request finds another number.
    var number: UInt32 = 0
    /// Body bytes that the door counts for this connection.
    var countedBodyBytes = 0
    var unsent = UnsentAnswer()

    init(
        socket: Int32, slot: Int, generation: UInt32, door: Door, network: NetworkPrefix, state: ConnectionState
    ) {
        self.socket = socket
        self.slot = slot
        self.generation = generation
        self.door = door
        self.network = network
        self.state = state
    }

    /// What the poller reports back: the generation too, because an event of a connection that ended in the same pass
    /// must not reach the new owner of its slot.
    var key: UInt64 { UInt64(generation) << 32 | UInt64(slot) }
}

/// What the socket did not take at once.
struct UnsentAnswer {
    private var parts: [[UInt8]] = []
    private var position = 0
    private(set) var count = 0

    init() {}

    /// The part of `head` from `headPosition` on, then that of `body`.
    init(head: [UInt8], from headPosition: Int, body: [UInt8], from bodyPosition: Int) {
        if headPosition < head.count { parts.append(Array(head[headPosition...])) }
        if bodyPosition < body.count {
            position = parts.isEmpty ? bodyPosition : 0
            parts.append(body)
        }
        count = head.count - headPosition + body.count - bodyPosition
    }

    /// Calls `send` with the next bytes until nothing is left or it takes none.
    mutating func drain(_ send: (UnsafeRawBufferPointer) -> Int) {
        while let part = parts.first {
            let sent = part.withUnsafeBytes { send(UnsafeRawBufferPointer(rebasing: $0[position...])) }
            guard sent > 0 else { return }
            position += sent
            count -= sent
            if position == part.count {
                parts.removeFirst()
                position = 0
            }
        }
    }
}

/// A listener of the loop: its socket, and what its connections use together.
final class Door {
    let index: Int
    let listener: Listener
    let rules: ConnectionRules
    var socket: Int32
    /// Not watched until the next sweep, because the process had no descriptors left.
    var isPaused = false
    var connections = 0
    var bodyBytes = 0
    var unsentBytes = 0
    /// Requests were handed over in this pass.
    var handedOver = false
    var places: Places
    var rate: ConnectRate

    init(index: Int, listener: Listener, socket: Int32) {
        self.index = index
        self.listener = listener
        self.socket = socket
        rules = ConnectionRules(limits: listener.limits, admit: listener.admit)
        places = Places(limit: listener.limits.inFlight)
        rate = ConnectRate(limits: listener.limits)
    }

    var limits: Limits { listener.limits }
}
