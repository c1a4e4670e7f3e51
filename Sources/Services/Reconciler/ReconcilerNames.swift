internal import Telemetry

/// Names of the service's metrics, which are a public contract. The runtime defines the metrics common to all
/// consumers.
enum ReconcilerMetricName {
    static let missing = "sluice_notifications_missing"
    static let statusDifferences = "sluice_reconciler_status_differences"
    static let unrepaired = "sluice_reconciler_unrepaired_differences"
    static let repaired = "sluice_reconciler_repaired_total"
    static let lastComplete = "sluice_reconciler_last_complete_timestamp_seconds"
    static let progress = "sluice_reconciler_progress_ratio"
    static let notBroughtIn = "sluice_reconciler_not_brought_in"
    static let unread = "sluice_reconciler_unread_windows"
    static let failing = "sluice_reconciler_failing_sweeps"
    static let swept = "sluice_reconciler_swept_total"
    static let found = "sluice_reconciler_missing_total"
    static let published = "sluice_reconciler_published_total"
    static let quarantined = "sluice_reconciler_quarantined_total"
    static let refused = "sluice_reconciler_refused_total"
    static let calls = "sluice_reconciler_calls_total"
    static let failures = "sluice_reconciler_failures_total"
    static let repeatedPages = "sluice_reconciler_repeated_pages_total"
    static let outages = "sluice_reconciler_outages_total"
}

/// Reason codes for skipped and dead-lettered records.
enum ReconcilerReason {
    // Codes for skipped records.
    static let nullValue = "null_value"
    /// A notification in version 1 or an older format. Apple's history does not contain such notifications.
    static let unsigned = "unsigned"
    // Codes for dead-lettered records.
    static let unknownTopic = "unknown_topic"
    static let noIdentity = "no_identity"
}

/// The reason why a sweep is paused; the value of the `cause` label.
enum SweepFailureCause: String, Sendable, CaseIterable {
    /// The App Store Server API did not respond, refused a request, or limited the rate.
    case api
    /// The index of the topics could not be brought up to date.
    case state
    /// Kafka has not acknowledged a record.
    case kafka
    /// A signed object cannot be verified yet.
    case verification
}

extension LogKey {
    static let bundleId = LogKey(rawValue: "bundleId")
    static let environment = LogKey(rawValue: "environment")
    static let sweep = LogKey(rawValue: "sweep")
    static let swept = LogKey(rawValue: "swept")
    static let missing = LogKey(rawValue: "missing")
    static let published = LogKey(rawValue: "published")
    static let quarantined = LogKey(rawValue: "quarantined")
    static let refused = LogKey(rawValue: "refused")
    static let unknown = LogKey(rawValue: "unknown")
    static let calls = LogKey(rawValue: "calls")
    static let differing = LogKey(rawValue: "differing")
    static let unread = LogKey(rawValue: "unread")
    static let from = LogKey(rawValue: "from")
    static let to = LogKey(rawValue: "to")
    static let repaired = LogKey(rawValue: "repaired")
    static let difference = LogKey(rawValue: "difference")
    static let originalTransactionId = LogKey(rawValue: "originalTransactionId")
    static let milliseconds = LogKey(rawValue: "milliseconds")
}
