internal import AppStoreServerAPI
internal import Kafka

/// The reason why a sweep is paused.
struct SweepInterruption: Error {
    let cause: SweepFailureCause
    let message: String
    /// The time at which Apple allows a retry, in milliseconds since 1970.
    var retryAt: Int64?
    /// Whether an operator must act, or Apple's answer is undocumented. If so, the next attempt is delayed.
    var isPermanent = false
    /// Whether the next page of the window cannot be requested, so that the window must be reread from the start.
    var restartsWindow = false
    /// Whether Apple answered but did not return the page. If so, the content of this window may be the cause, and
    /// other windows may be readable. A refused key, a rate limit, or a connection failure affects all windows.
    var isAboutWindow = false

    init(_ cause: SweepFailureCause, _ message: String) {
        self.cause = cause
        self.message = message
    }

    init(_ error: any Error) {
        switch error {
        case let interruption as SweepInterruption: self = interruption
        case let failure as APIError:
            self.init(.api, failure.description)
            retryAt = failure.retryAt
            isPermanent = !failure.isRetriable
            restartsWindow = !failure.isRetriable
            isAboutWindow = [.refused, .server, .unreadable, .unverified, .invalidRequest].contains(failure.kind)
        case let error as KafkaError: self.init(.kafka, error.message)
        default: self.init(.state, "\(error)")
        }
    }

    private static let soon: Int64 = 60_000
    private static let late: Int64 = 900_000

    /// Returns the time at which the sweep continues, in milliseconds since 1970.
    ///
    /// - Parameter count: the number of consecutive interruptions, including this one.
    func nextAttempt(after count: Int64, now: Int64) -> Int64 {
        if let retryAt { return max(retryAt, now + 1_000) }
        // If Apple refuses only this window, try again soon, because repeated refusals narrow the window.
        if isPermanent { return now + (isAboutWindow ? Self.soon : Self.late) }
        return now + min(Self.late, Self.soon << min(10, max(0, count - 1)))
    }
}
