internal import ArchiveKeys
internal import ArchiveLog
internal import EntitlementRules
internal import KeyedState
internal import PipelineRuntime
internal import Reconciliation
internal import RefundRules

/// The stored formats that have a version: topic rows, archive entries and SQLite files. The table of all formats is in
/// `deploy/upgrade`; tests compare it with this one.
package enum StoredFormats {
    /// The version of each format that this build writes.
    package static var versions: [(name: String, version: Int)] {
        [
            ("entitlement facts", Int(PurchaseFacts.formatVersion)),
            ("pause of a group", Int(ControlRecord.formatVersion)),
            ("refund case", Int(RefundCase.formatVersion)),
            ("saved sweep", ReconciliationVersions.sweep),
            ("received notifications", ReconciliationVersions.receivedNotifications),
            ("archive leaf", ArchiveFormatVersions.leaf),
            ("archive object", ArchiveFormatVersions.object),
            ("archive record", ArchiveFormatVersions.record),
            ("archive gap", ArchiveFormatVersions.gap),
            ("erasure decision", ArchiveFormatVersions.erasure),
            ("retention step", ArchiveFormatVersions.retention),
            ("reveal", ArchiveFormatVersions.reveal),
            ("key store", ArchiveKeysVersions.keyStore),
            ("archive index", ArchiveKeysVersions.index),
            ("state database", StateVersions.database),
            ("calls file", Int(CallFile.formatVersion)),
        ]
    }
}
