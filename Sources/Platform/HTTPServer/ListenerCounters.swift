internal import Synchronization

/// One listener's counters since it was started.
package struct ListenerCounters: Sendable {
    /// Open connections.
    package internal(set) var connections = 0
    package internal(set) var accepted = 0
    /// Connections evicted in favor of newer ones.
    package internal(set) var evicted = 0
    /// Connections closed at once because all others had requests in progress.
    package internal(set) var refusedByCapacity = 0
    /// Connections closed at once because their network exceeded its rate.
    package internal(set) var refusedByRate = 0
    /// The number of times that accepting paused because the process had no descriptors or memory left.
    package internal(set) var acceptPauses = 0
    /// Requests by status; status 0 counts requests that ended without a response.
    package internal(set) var requestsByStatus: [Int: Int] = [:]
    /// Expired deadlines, by phase.
    package internal(set) var headDeadlines = 0
    package internal(set) var bodyDeadlines = 0
    package internal(set) var handlerDeadlines = 0
    package internal(set) var idleDeadlines = 0
    package internal(set) var sendDeadlines = 0
    /// Responses dropped because the request had already ended or was already answered.
    package internal(set) var responsesDropped = 0
    /// Requests that have been dispatched but not yet answered by the handler.
    package internal(set) var inFlight = 0
    /// Body bytes of requests that have not been answered yet, and bytes read ahead.
    package internal(set) var bodyBytes = 0
    /// Response bytes that are waiting to be sent.
    package internal(set) var unsentBytes = 0
}

/// Counters that the loop updates and other threads read.
final class SharedCounters: Sendable {
    private let values: Mutex<[ListenerCounters]>
    /// The number of loop passes that took 50 ms or more.
    let slowPasses = Atomic(0)

    init(listeners: Int) { values = Mutex(Array(repeating: ListenerCounters(), count: listeners)) }

    func update(_ listener: Int, _ change: (inout ListenerCounters) -> Void) {
        values.withLock { change(&$0[listener]) }
    }

    func snapshot() -> [ListenerCounters] { values.withLock { $0 } }
}
