/// When requests to one environment of the App Store Server API wait: after several failures in a row, until one
/// request has gone through, and as long as Apple said with a 429.
///
/// While it is down only the request with the earliest deadline is tried, so that what waits is answered in the order
/// of deadlines once it is back.
struct APIPause {
    /// Failures in a row, of whatever requests, after which the environment is taken to be down.
    static let limit = 8
    private static let shortest: Int64 = 1_000
    private static let longest: Int64 = 60_000
    /// A pause ends so long before the earliest deadline, in milliseconds, whatever Apple said.
    static let margin: Int64 = 120_000

    private(set) var failures = 0
    private var until: Int64 = 0

    var isDown: Bool { failures >= Self.limit }

    /// Whether a request may begin.
    ///
    /// - Parameters:
    ///   - now: milliseconds since 1970.
    ///   - deadline: the earliest of what waits.
    func isOver(at now: Int64, deadline: Int64) -> Bool { now >= min(until, max(0, deadline - Self.margin)) }

    mutating func succeeded() { self = APIPause() }

    /// - Parameter retryAt: milliseconds since 1970, where Apple named a time.
    mutating func failed(at now: Int64, retryAt: Int64? = nil) {
        if let retryAt {
            until = max(until, retryAt)
            return
        }
        failures += 1
        guard isDown else { return }
        let step = Self.shortest << Int64(min(failures - Self.limit, 10))
        until = now + min(step, Self.longest)
    }
}
