internal import Telemetry

/// The names of the service's metrics, which are a public contract. The runtime defines the consumer's own metrics.
enum ArchiveMetricName {
    static let leaves = "sluice_archive_leaves_total"
    static let bytes = "sluice_archive_bytes_total"
    static let erased = "sluice_archive_erased_total"
    static let missing = "sluice_archive_missing_offsets_total"
    static let lastCheckpoint = "sluice_archive_last_checkpoint_timestamp_seconds"
    static let timeAhead = "sluice_archive_time_ahead_seconds"
    static let flushDuration = "sluice_archive_flush_duration_seconds"
    static let failures = "sluice_archive_failures_total"
    static let erasures = "sluice_archive_erasures_total"
    static let keyRecords = "sluice_archive_key_records_total"
    static let unanchored = "sluice_archive_unanchored_seconds"
    static let anchored = "sluice_archive_anchored_total"
    static let anchorFailures = "sluice_archive_anchor_failures_total"
    static let keepsCheckpointLog = "sluice_archive_keeps_checkpoint_log"
    static let pruned = "sluice_archive_pruned_segments_total"
}

/// Reason codes for skipped records.
enum ArchiveReason {
    /// The record was read again and is already archived.
    static let alreadyArchived = "already_archived"
}

extension LogKey {
    static let anchor = LogKey(rawValue: "anchor")
    static let log = LogKey(rawValue: "log")
    static let firstMissing = LogKey(rawValue: "firstMissing")
    static let lastMissing = LogKey(rawValue: "lastMissing")
    static let offset = LogKey(rawValue: "offset")
    static let outcome = LogKey(rawValue: "outcome")
    static let keys = LogKey(rawValue: "keys")
    static let leaves = LogKey(rawValue: "leaves")
    static let segments = LogKey(rawValue: "segments")
}
