/// A circuit breaker: when no broker seems to answer, sends fail at once, except for one probe per second. Times are
/// monotonic nanoseconds.
struct ProducerBreaker {
    private enum State {
        case closed
        /// `isDisconnected` is true if no broker was connected, and false if brokers were connected but none answered.
        case open(nextProbe: UInt64, isDisconnected: Bool)
    }

    /// The number of consecutive timeouts that opens the breaker.
    let timeoutLimit: Int
    private static let probeInterval: UInt64 = 1_000_000_000

    private var state = State.closed
    private var timeoutsInARow = 0

    init(timeoutLimit: Int) { self.timeoutLimit = timeoutLimit }

    var isOpen: Bool {
        if case .open = state { return true }
        return false
    }

    /// Returns whether a send may be attempted now. If the breaker is open, the admitted send is this second's probe.
    mutating func admits(at now: UInt64) -> Bool {
        guard case .open(let nextProbe, let isDisconnected) = state else { return true }
        guard now >= nextProbe else { return false }
        state = .open(nextProbe: now &+ Self.probeInterval, isDisconnected: isDisconnected)
        return true
    }

    /// Notes that a broker acknowledged a record.
    mutating func acknowledged() {
        timeoutsInARow = 0
        state = .closed
    }

    /// Notes that a broker rejected a record, which shows that the broker is responding.
    mutating func refused() { timeoutsInARow = 0 }

    /// Notes that a record was not acknowledged in time.
    mutating func timedOut(at now: UInt64) {
        timeoutsInARow = min(timeoutsInARow + 1, timeoutLimit)
        if timeoutsInARow >= timeoutLimit { open(at: now, isDisconnected: false) }
    }

    /// Records librdkafka's report that no broker is connected.
    mutating func allBrokersDown(at now: UInt64) { open(at: now, isDisconnected: true) }

    /// Evaluates statistics, which can also close the breaker, because there are no probes without traffic. The breaker
    /// closes when a broker is connected again or, after timeouts, when no record is in flight.
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
