internal import Synchronization

/// What one listener has counted since its start.
package struct ListenerCounters: Sendable {
    /// Connections open now.
    package internal(set) var connections = 0
    package internal(set) var accepted = 0
    /// Evicted to make room for a newer connection.
    package internal(set) var evicted = 0
    /// Closed at once because all connections had requests in progress.
    package internal(set) var refusedByCapacity = 0
    /// Closed at once because their network made too many.
    package internal(set) var refusedByRate = 0
    /// Times that accepting paused because the process had no descriptors left.
    package internal(set) var acceptPauses = 0
    /// Requests by status; 0: ended without a response.
    package internal(set) var requestsByStatus: [Int: Int] = [:]
    /// Deadlines that ended a phase, by phase.
    package internal(set) var headDeadlines = 0
    package internal(set) var bodyDeadlines = 0
    package internal(set) var handlerDeadlines = 0
    package internal(set) var idleDeadlines = 0
    package internal(set) var sendDeadlines = 0
    /// Responses that came after their request had ended, or a second time.
    package internal(set) var responsesDropped = 0
    /// Requests dispatched and not yet answered by the handler.
    package internal(set) var inFlight = 0
    /// Body bytes that have arrived and whose requests are not yet answered.
    package internal(set) var bodyBytes = 0
    /// Bytes of responses that clients have not taken yet.
    package internal(set) var unsentBytes = 0
}

/// What the loop counts and other threads read.
final class SharedCounters: Sendable {
    private let values: Mutex<[ListenerCounters]>
    /// Passes of the loop that took 50 ms or more.
    let slowPasses = Atomic(0)

    init(listeners: Int) { values = Mutex(Array(repeating: ListenerCounters(), count: listeners)) }

    func update(_ listener: Int, _ change: (inout ListenerCounters) -> Void) {
        values.withLock { change(&$0[listener]) }
    }

    func snapshot() -> [ListenerCounters] { values.withLock { $0 } }
}
