/// A listener in the loop: its socket, and the state that its connections share.
final class Acceptor {
    let index: Int
    let listener: Listener
    let rules: ConnectionRules
    var socket: Int32
    /// Whether accepting is paused, for example because the process had no descriptors left. The socket is then not
    /// watched until the next sweep.
    var isPaused = false
    var connections = 0
    var bodyBytes = 0
    var unsentBytes = 0
    /// Whether requests were dispatched in this pass.
    var dispatched = false
    var slots: RequestSlots
    var rate: ConnectRate

    init(index: Int, listener: Listener, socket: Int32) {
        self.index = index
        self.listener = listener
        self.socket = socket
        rules = ConnectionRules(limits: listener.limits, admit: listener.admit)
        slots = RequestSlots(limit: listener.limits.inFlight)
        rate = ConnectRate(limits: listener.limits)
    }

    var limits: Limits { listener.limits }
}
