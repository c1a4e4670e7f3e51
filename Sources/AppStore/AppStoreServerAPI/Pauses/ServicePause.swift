/// When requests to a service wait: after several failures in a row until one goes through, and as long as the service
/// said. A value without a clock; moments are milliseconds since 1970.
package struct ServicePause: Equatable, Sendable {
    /// Failures in a row, of whatever requests, after which the service is taken to be down.
    package static let limit = 8
    private static let shortest: Int64 = 1_000
    private static let longest: Int64 = 60_000

    package private(set) var failures = 0
    private var until: Int64 = 0

    package init() {}

    package var isDown: Bool { failures >= Self.limit }

    /// Whether a request may begin; while the service is down, the one that finds out whether it is back.
    package func isOver(at now: Int64) -> Bool { now >= until }

    package mutating func succeeded() { self = ServicePause() }

    /// - Parameter retryAt: where the service named a time.
    package mutating func failed(at now: Int64, retryAt: Int64? = nil) {
        if let retryAt {
            until = max(until, retryAt)
            return
        }
        failures += 1
        guard isDown else { return }
        until = now + min(Self.shortest << Int64(min(failures - Self.limit, 10)), Self.longest)
    }
}

/// What a request says about a service as a whole.
package enum ServiceHealth: Sendable, Equatable {
    case unknown
    case answers
    /// No answer, or one that speaks of the service; with the time at which to try again where it named one.
    case fails(retryAt: Int64? = nil)
}

extension ServicePause {
    /// - Returns: whether the service was down until now.
    package mutating func note(_ health: ServiceHealth, at now: Int64) -> Bool {
        switch health {
        case .unknown: return false
        case .answers:
            defer { succeeded() }
            return isDown
        case .fails(let retryAt):
            failed(at: now, retryAt: retryAt)
            return false
        }
    }
}
