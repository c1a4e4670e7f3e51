internal import AppStoreServerAPI
internal import Kafka

/// Why a sweep does not go on at the moment.
struct SweepInterruption: Error {
    let cause: SweepFailureCause
    let message: String
    /// When Apple wants to be asked again, milliseconds since 1970.
    var retryAt: Int64?
    /// Someone must do something, or Apple's answers are not as documented: it is not tried again soon.
    var isPermanent = false
    /// The page that comes next cannot be asked for: its window is read again.
    var restartsWindow = false
    /// Apple answered, and not with the page: the fault may be in what this window holds, and other windows may be read.
    /// A refused key, a limit, or no connection concern all of them.
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

    /// When the sweep goes on, milliseconds since 1970.
    ///
    /// - Parameter count: of interruptions in a row, this one included.
    func nextAttempt(after count: Int64, now: Int64) -> Int64 {
        if let retryAt { return max(retryAt, now + 1_000) }
        // A window that Apple refuses is narrowed at each attempt.
        if isPermanent { return now + (isAboutWindow ? Self.soon : Self.late) }
        return now + min(Self.late, Self.soon << min(10, max(0, count - 1)))
    }
}
