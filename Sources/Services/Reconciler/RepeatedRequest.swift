internal import AppStoreServerAPI
internal import Time

/// How requests to Apple are repeated.
struct Repetition: Sendable {
    let clocks: Clocks
    let metrics: ReconcilerMetrics
    /// Waits; throws when the task is cancelled.
    let sleep: @Sendable (Duration) async throws -> Void
}

/// One request to Apple with its attempts.
struct RepeatedRequest {
    /// Attempts in a row, before the sweep waits longer.
    private static let attempts = 6
    /// A wait that is longer ends the run for now.
    private static let longestWait: Int64 = 60_000

    private let repetition: Repetition
    private var failures = 0

    init(_ repetition: Repetition) { self.repetition = repetition }

    /// Returns when it is time for the next attempt.
    ///
    /// - Throws: the failure, where there is none soon; an error of `sleep`.
    mutating func wait(after failure: APIFailure) async throws {
        failures += 1
        guard failure.isRetriable, failure.kind != .cancelled, failures < Self.attempts else { throw failure }
        repetition.metrics.failed(.api)
        // Half of it and a random part: members that failed together do not come back together.
        let backoff = Int64(500) << Int64(failures)
        let now = repetition.clocks.wallMilliseconds()
        let wait = failure.retryAt.map { max(0, $0 - now) } ?? Int64.random(in: backoff / 2...backoff)
        guard wait <= Self.longestWait else { throw failure }
        try await repetition.sleep(.milliseconds(wait))
    }
}
