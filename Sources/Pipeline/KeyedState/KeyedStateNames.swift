internal import Telemetry

/// Metric names for a keyed state. They are a public contract.
enum StateMetricName {
    static let published = "sluice_state_published_total"
    static let republished = "sluice_state_republished_total"
    static let repaired = "sluice_state_repaired_total"
    static let applied = "sluice_state_applied_total"
    static let unreadable = "sluice_state_unreadable_total"
    static let misplaced = "sluice_state_misplaced_total"
    static let oversized = "sluice_state_oversized_total"
    static let oversizedRows = "sluice_state_oversized_rows"
    static let refused = "sluice_state_refused_total"
    static let refusedRows = "sluice_state_refused_rows"
    static let large = "sluice_state_large_values_total"
    static let recreated = "sluice_state_recreated_total"
    static let incomplete = "sluice_state_incomplete_total"
    static let restoreDuration = "sluice_state_restore_seconds"
    static let complete = "sluice_state_complete"
    static let unreadRecords = "sluice_state_unread_records"
    static let lagRecords = "sluice_state_lag_records"
    static let writable = "sluice_state_writable"
    static let stalledSeconds = "sluice_state_stalled_seconds"
    static let brokersUp = "sluice_state_brokers_up"
}

extension LogKey {
    static let offset = LogKey(rawValue: "offset")
    static let ageSeconds = LogKey(rawValue: "ageSeconds")
    static let finding = LogKey(rawValue: "finding")
    static let bytes = LogKey(rawValue: "bytes")
    static let path = LogKey(rawValue: "path")
    static let remaining = LogKey(rawValue: "remaining")
    static let milliseconds = LogKey(rawValue: "milliseconds")
}
