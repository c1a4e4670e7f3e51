/// The delay before a failed request is retried. It doubles with each attempt, from 1 s to 5 minutes, with jitter.
package enum RetryDelay {
    /// - Parameter attempts: the number of failed attempts, starting at 1.
    package static func milliseconds(attempts: Int) -> Int64 {
        let most = min(Int64(1_000) << Int64(min(max(attempts - 1, 0), 12)), 300_000)
        return Int64.random(in: most / 2...most)
    }
}
