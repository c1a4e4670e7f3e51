/// The type of an operator event, without the prefix `dev.sluice.`. Types are a contract; additional types do not
/// change the format version.
package enum OperatorEventType: String, Hashable, Sendable, CaseIterable {
    /// A member has started and its services are running.
    case memberStarted = "member.started"
    /// A member was stopped. A killed member publishes nothing.
    case memberStopped = "member.stopped"
    /// A webhook receiver accepts nothing.
    case receiverStopped = "receiver.stopped"
    /// A webhook receiver accepts messages again.
    case receiverResumed = "receiver.resumed"
    /// A waiting refund request has little time left.
    case refundDeadlineNear = "refund.deadline_near"
    /// A sweep of Apple's history found notifications that were missing from their topic.
    case notificationsMissing = "notifications.missing"
    /// A state row is not published because it is too large or the brokers reject it.
    case stateRowRefused = "state.row_refused"
    /// A precomputed key table failed verification.
    case verificationTableFault = "verification.table_fault"
    /// An archive log differs from its signed state, contradicts an anchor, lacks records, or contains expired
    /// payloads.
    case archiveFinding = "archive.finding"

    /// The reverse domain name that, according to CloudEvents, a type should begin with.
    private static let prefix = "dev.sluice."

    /// The type as written to `ce_type` and the value.
    package var name: String { Self.prefix + rawValue }

    package var severity: OperatorEventSeverity {
        switch self {
        case .memberStarted, .memberStopped, .receiverResumed: .info
        case .refundDeadlineNear, .notificationsMissing: .warning
        case .receiverStopped, .stateRowRefused, .verificationTableFault, .archiveFinding: .error
        }
    }
}

/// The urgency of an operator event.
package enum OperatorEventSeverity: String, Hashable, Sendable, CaseIterable {
    /// No action is required.
    case info
    /// Nothing is lost, but an operator should take a look.
    case warning
    /// An operator must act.
    case error
}
