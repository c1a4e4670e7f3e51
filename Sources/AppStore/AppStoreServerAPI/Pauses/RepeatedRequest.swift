package import Time

/// How requests to Apple are repeated.
package struct Repetition: Sendable {
    package let clocks: Clocks
    /// Waits; throws when the task is cancelled.
    package let sleep: @Sendable (Duration) async throws -> Void
    /// An attempt failed, and is followed by another one.
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

/// One request to Apple with its attempts.
package struct RepeatedRequest {
    /// Attempts in a row, before the caller waits longer.
    private static let attempts = 6
    /// Longer waits are left to the caller. Milliseconds.
    private static let longestWait: Int64 = 60_000

    private let repetition: Repetition
    private var failures = 0

    package init(_ repetition: Repetition) { self.repetition = repetition }

    /// Returns when it is time for the next attempt.
    ///
    /// - Throws: the failure, where there is none soon; an error of `sleep`.
    package mutating func wait(after failure: APIFailure) async throws {
        failures += 1
        guard failure.isRetriable, failure.kind != .cancelled, failures < Self.attempts else { throw failure }
        repetition.failed()
        // Half of it and a random part: members that failed together do not come back together.
        let backoff = Int64(500) << Int64(failures)
        let now = repetition.clocks.wallMilliseconds()
        let wait = failure.retryAt.map { max(0, $0 - now) } ?? Int64.random(in: backoff / 2...backoff)
        guard wait <= Self.longestWait else { throw failure }
        try await repetition.sleep(.milliseconds(wait))
    }
}
