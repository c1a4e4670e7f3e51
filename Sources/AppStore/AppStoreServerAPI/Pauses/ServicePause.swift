/// Suspends requests to a service: until the service's retry time if a failed response contains one, and otherwise for
/// increasing periods after several consecutive failures. Callers pass the current time. All times are in milliseconds
/// since 1970.
package struct ServicePause: Equatable, Sendable {
    /// The number of consecutive failures, across all requests, after which the service is considered down.
    package static let limit = 8
    private static let shortest: Int64 = 1_000
    private static let longest: Int64 = 60_000

    package private(set) var failures = 0
    private var until: Int64 = 0

    package init() {}

    package var isDown: Bool { failures >= Self.limit }

    /// Returns whether a request may begin. While the service is considered down, such a request tests whether the
    /// service has recovered.
    package func isOver(at now: Int64) -> Bool { now >= until }

    package mutating func succeeded() { self = ServicePause() }

    /// - Parameter retryAt: the retry time that the service sent, if any.
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

/// The health of the service, as indicated by one request.
package enum ServiceHealth: Sendable, Equatable {
    case unknown
    case answers
    /// There was no response, or the response indicates a fault in the service, possibly with a retry time.
    case fails(retryAt: Int64? = nil)
}

extension ServicePause {
    /// Records the outcome of a request.
    ///
    /// - Returns: whether the service has recovered: it was considered down, and this request shows that it works.
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
