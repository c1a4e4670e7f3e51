internal import AppStoreServerAPI
internal import Kafka

/// The reason why a sweep is paused.
struct SweepInterruption: Error {
    let cause: SweepFailureCause
    let message: String
    /// Apple's retry time, milliseconds since 1970.
    var retryAt: Int64?
    /// An intervention is needed, or Apple's answers are undocumented: the next attempt is not soon.
    var isPermanent = false
    /// The next page cannot be requested: its window is read from the start again.
    var restartsWindow = false
    /// Apple answered without the page: the cause may be the content of this window, and other windows may be readable.
    /// A refused key, a limit, or a connection failure concerns all windows.
    var isAboutWindow = false

    init(_ cause: SweepFailureCause, _ message: String) {
        self.cause = cause
        self.message = message
    }

    init(_ error: any Error) {
        switch error {
        case let interruption as SweepInterruption: self = interruption
        case let failure as APIFailure:
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

    /// Returns when the sweep continues, milliseconds since 1970.
    ///
    /// - Parameter count: number of consecutive interruptions, including this one.
    func nextAttempt(after count: Int64, now: Int64) -> Int64 {
        if let retryAt { return max(retryAt, now + 1_000) }
        // Each attempt narrows a window that Apple refuses.
        if isPermanent { return now + (isAboutWindow ? Self.soon : Self.late) }
        return now + min(Self.late, Self.soon << min(10, max(0, count - 1)))
    }
}
