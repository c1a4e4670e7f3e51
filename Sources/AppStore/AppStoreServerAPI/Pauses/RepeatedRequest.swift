package import Primitives

/// Retry settings for a request.
package struct Repetition: Sendable {
    package let clocks: Clocks
    /// Waits for the duration. Throws if the task is cancelled.
    package let sleep: @Sendable (Duration) async throws -> Void
    /// Called when an attempt has failed and the request will be repeated, before the wait. Not called for a failure
    /// that ``RepeatedRequest/wait(after:)`` throws, because its caller handles that one.
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

/// A single request to Apple with its retries.
package struct RepeatedRequest {
    /// The maximum number of consecutive attempts. After the last one, ``wait(after:)`` throws the failure.
    private static let attempts = 6
    /// The longest wait in milliseconds. If the wait would be longer, ``wait(after:)`` throws the failure.
    private static let longestWait: Int64 = 60_000

    private let repetition: Repetition
    private var failures = 0

    package init(_ repetition: Repetition) { self.repetition = repetition }

    /// Waits until the next attempt is due.
    ///
    /// - Throws: the failure if it must not be retried, if no attempts are left, or if the wait would be too long;
    ///   otherwise, any error from `sleep`.
    package mutating func wait(after failure: APIError) async throws {
        failures += 1
        guard failure.isRetriable, failure.kind != .cancelled, failures < Self.attempts else { throw failure }
        // The wait is half of the backoff plus a random part, so members that failed together do not retry together.
        let backoff = Int64(500) << Int64(failures)
        let now = repetition.clocks.wallMilliseconds()
        let wait = failure.retryAt.map { max(0, $0 - now) } ?? Int64.random(in: backoff / 2...backoff)
        guard wait <= Self.longestWait else { throw failure }
        repetition.failed()
        try await repetition.sleep(.milliseconds(wait))
    }
}
