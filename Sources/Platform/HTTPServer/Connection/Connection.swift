internal import Primitives

/// An open socket in the loop. Only the loop thread accesses it.
final class Connection {
    let socket: Int32
    let key: SlotTable<Connection>.Key
    let acceptor: Acceptor
    let peer: NetworkPrefix
    var state: ConnectionState
    var watched = Readiness.input
    /// Incremented with every response, so that a late response to an earlier request does not match the current
    /// request.
    var number: UInt32 = 0
    /// The number of this connection's body and read-ahead bytes included in the acceptor's total.
    var countedBodyBytes = 0
    var unsent = UnsentResponse()

    init(
        socket: Int32, key: SlotTable<Connection>.Key, acceptor: Acceptor, peer: NetworkPrefix,
        state: ConnectionState
    ) {
        self.socket = socket
        self.key = key
        self.acceptor = acceptor
        self.peer = peer
        self.state = state
    }

    /// The client's network: the one that a proxy reported, or the peer's.
    var network: NetworkPrefix { state.client ?? peer }

    /// The key that identifies this connection in poller events. It includes the generation, because an event for a
    /// connection that was closed in this pass must not reach the connection that reuses its table slot.
    var eventKey: UInt64 { UInt64(key.generation) << 32 | UInt64(key.slot) }

    static func key(event: UInt64) -> SlotTable<Connection>.Key {
        SlotTable.Key(slot: Int(event & 0xFFFF_FFFF), generation: UInt32(event >> 32))
    }
}
