/// The wait before the next attempt: exponential backoff with full jitter, so that members that failed together do not
/// retry together.
struct RetryBackoff: Sendable {
    /// The upper bound of the first wait.
    let first: Duration
    /// The upper bound of every wait.
    let maximum: Duration

    /// Returns the upper bound for the wait after `failures` consecutive failures (at least 1). The bound doubles each
    /// time, up to `maximum`.
    func bound(afterFailures failures: Int) -> Duration {
        var bound = first
        for _ in 1..<max(2, min(failures, 64)) where failures > 1 {
            if bound >= maximum { break }
            bound *= 2
        }
        return min(bound, maximum)
    }

    /// Returns a random wait, uniformly distributed between zero and the bound.
    func delay(afterFailures failures: Int, using generator: inout some RandomNumberGenerator) -> Duration {
        let (seconds, attoseconds) = bound(afterFailures: failures).components
        let nanoseconds = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let total = nanoseconds.overflow ? Int64.max : nanoseconds.partialValue + attoseconds / 1_000_000_000
        return .nanoseconds(Int64.random(in: 0...max(0, total), using: &generator))
    }
}
