package import Time

/// Settings for retrying a request.
package struct Repetition: Sendable {
    package let clocks: Clocks
    /// Waits; throws if the task is cancelled.
    package let sleep: @Sendable (Duration) async throws -> Void
    /// Called when an attempt has failed and another one follows.
    package let failed: @Sendable () -> Void

    package init(
        clocks: Clocks, sleep: @escaping @Sendable (Duration) async throws -> Void,
        failed: @escaping @Sendable () -> Void = {}
    ) {
        self.clocks = clocks
        self.sleep = sleep
        self.failed = failed
    }
}

/// A single request to Apple, including its retries.
package struct RepeatedRequest {
    /// Maximum number of attempts in a row; after that the caller waits longer.
    private static let attempts = 6
    /// Longest wait in milliseconds; longer waits are left to the caller.
    private static let longestWait: Int64 = 60_000

    private let repetition: Repetition
    private var failures = 0

    package init(_ repetition: Repetition) { self.repetition = repetition }

    /// Waits until the next attempt is due.
    ///
    /// - Throws: the failure, if no attempt follows soon; otherwise any error from `sleep`.
    package mutating func wait(after failure: APIFailure) async throws {
        failures += 1
        guard failure.isRetriable, failure.kind != .cancelled, failures < Self.attempts else { throw failure }
        repetition.failed()
        // Half of the backoff plus a random part, so that members that failed at the same time do not retry at the same
        // time.
        let backoff = Int64(500) << Int64(failures)
        let now = repetition.clocks.wallMilliseconds()
        let wait = failure.retryAt.map { max(0, $0 - now) } ?? Int64.random(in: backoff / 2...backoff)
        guard wait <= Self.longestWait else { throw failure }
        try await repetition.sleep(.milliseconds(wait))
    }
}
