/// Decides whether a send is worth trying: after signs that no broker answers, sends are refused at once, except one
/// probe each second. Times are nanoseconds of a monotonic clock.
struct ProducerBreaker {
    private enum State {
        case closed
        /// `isDisconnected`: opened because no broker was connected, not because none answered.
        case open(nextProbe: UInt64, isDisconnected: Bool)
    }

    /// How many records have to time out in a row.
    let timeoutLimit: Int
    private static let probeInterval: UInt64 = 1_000_000_000

    private var state = State.closed
    private var timeoutsInARow = 0

    init(timeoutLimit: Int) { self.timeoutLimit = timeoutLimit }

    var isOpen: Bool {
        if case .open = state { return true }
        return false
    }

    /// Whether a send may go out now; while open, `true` makes it the probe of this second.
    mutating func admits(at now: UInt64) -> Bool {
        guard case .open(let nextProbe, let isDisconnected) = state else { return true }
        guard now >= nextProbe else { return false }
        state = .open(nextProbe: now &+ Self.probeInterval, isDisconnected: isDisconnected)
        return true
    }

    /// A broker acknowledged a record.
    mutating func acknowledged() {
        timeoutsInARow = 0
        state = .closed
    }

    /// A broker refused a record: it answers, which is all that matters here.
    mutating func refused() { timeoutsInARow = 0 }

    /// A record was not acknowledged in time.
    mutating func timedOut(at now: UInt64) {
        timeoutsInARow = min(timeoutsInARow + 1, timeoutLimit)
        if timeoutsInARow >= timeoutLimit { open(at: now, isDisconnected: false) }
    }

    /// librdkafka says that no broker is connected.
    mutating func allBrokersDown(at now: UInt64) { open(at: now, isDisconnected: true) }

    /// Statistics came. Without traffic there are no probes, so they close the breaker too: when a broker is connected
    /// again, or, after timeouts, when nothing waits for an answer any more.
    mutating func statistics(brokersUp: Int, recordsInFlight: Int, at now: UInt64) {
        if brokersUp == 0 {
            open(at: now, isDisconnected: true)
        } else if case .open(_, let isDisconnected) = state, isDisconnected || recordsInFlight == 0 {
            acknowledged()
        }
    }

    private mutating func open(at now: UInt64, isDisconnected: Bool) {
        guard case .closed = state else { return }
        state = .open(nextProbe: now &+ Self.probeInterval, isDisconnected: isDisconnected)
    }
}
