internal import Kafka

/// The kind of a thrown error.
enum Fault: Sendable, Equatable {
    case infrastructure
    case record
    /// The work was cancelled.
    case cancellation

    /// - Parameter isCancelled: whether this work was cancelled. A handler can also throw `CancellationError` because
    ///   it cancelled work of its own.
    init(_ error: any Error, isCancelled: Bool) {
        switch error {
        case is CancellationError: self = isCancelled ? .cancellation : .infrastructure
        case is any InfrastructureFault: self = .infrastructure
        case let error as KafkaError: self = error.isAboutRecord ? .record : .infrastructure
        default: self = .record
        }
    }
}

extension KafkaError {
    /// Whether no further attempt to handle the same record can succeed.
    fileprivate var isAboutRecord: Bool { code.isRefusal }
}

/// The state of the attempts to handle one record. A value type without I/O.
struct RecordAttempts: Sendable {
    /// The next step after an attempt.
    enum Step: Sendable {
        /// The record is finished; the verdict is `done` or `skip`.
        case finish(HandlerVerdict)
        case deadLetter(DeadLetterCause)
        /// Try again after this time, or after the backoff if nil.
        case wait(Duration?, Fault)
        /// Leave the record to the next owner.
        case stop
    }

    let maximum: Int
    /// The number of attempts used up, that is, the number of calls that failed because of the record.
    private(set) var spent = 0
    /// The number of consecutive failures of any kind, for the backoff.
    private(set) var failures = 0
    private var firstFailure: Int64?

    init(maximum: Int) {
        self.maximum = maximum
    }

    /// Returns the next step after the handler returned a verdict.
    ///
    /// - Parameter now: the current time, in milliseconds since 1970.
    mutating func answered(_ verdict: HandlerVerdict, at now: Int64) -> Step {
        switch verdict {
        case .done, .skip:
            return .finish(verdict)
        case .retry(let duration):
            failures += 1
            firstFailure = firstFailure ?? now
            return .wait(duration, .infrastructure)
        case .deadLetter(let reason):
            return .deadLetter(DeadLetterCause(deciding: reason, attempts: failures + 1, firstFailure: firstFailure))
        }
    }

    /// Returns the next step after the handler threw an error.
    ///
    /// - Parameters:
    ///   - now: the current time, in milliseconds since 1970.
    ///   - isCancelled: whether the work was cancelled.
    mutating func threw(_ error: any Error, at now: Int64, isCancelled: Bool = false) -> Step {
        let fault = Fault(error, isCancelled: isCancelled)
        if fault == .cancellation { return .stop }
        failures += 1
        guard fault == .record else { return .wait(nil, fault) }
        spent += 1
        let first = firstFailure ?? now
        firstFailure = first
        guard spent >= maximum else { return .wait(nil, fault) }
        let reason = (error as? any RecordFault)?.reason
        return .deadLetter(
            DeadLetterCause(
                reason: reason?.code ?? "attempts-spent", exceptionClass: "\(type(of: error))",
                message: reason?.detail ?? "\(error)", attempts: spent, firstFailureMilliseconds: first))
    }
}
