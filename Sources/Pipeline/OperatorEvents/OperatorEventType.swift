/// The type of an operator event, without the prefix `dev.sluice.`. Types are a contract; added types are not a new
/// version of the format.
package enum OperatorEventType: String, Hashable, Sendable, CaseIterable {
    /// A member has started, and its services run.
    case memberStarted = "member.started"
    /// A member was stopped. A member that is killed publishes nothing.
    case memberStopped = "member.stopped"
    /// A receiver of webhooks accepts nothing.
    case receiverStopped = "receiver.stopped"
    /// A receiver of webhooks accepts messages again.
    case receiverResumed = "receiver.resumed"
    /// A waiting refund request has little time left.
    case refundDeadlineNear = "refund.deadline_near"
    /// A sweep of Apple's history found notifications that were missing from their topic.
    case notificationsMissing = "notifications.missing"
    /// A row of the state is not published, because it is too large or the brokers refuse it.
    case stateRowRefused = "state.row_refused"
    /// A precomputed key table failed verification.
    case verificationTableFault = "verification.table_fault"
    /// A log of the archive does not match what was signed, or lacks records.
    case archiveFinding = "archive.finding"

    /// The reverse domain name that CloudEvents recommends as the beginning of a type.
    private static let prefix = "dev.sluice."

    /// The type as in `ce_type` and in the value.
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
    /// Nothing is lost, but an operator should look at it.
    case warning
    /// An operator is needed.
    case error
}
