internal import ArchiveFormat
internal import ArchiveKeys
internal import EntitlementRules
internal import KeyedState
internal import PipelineRuntime
internal import Reconciliation
internal import RefundCases

/// The formats whose version is in their bytes: rows of topics, entries of the archive, SQLite files. `deploy/upgrade`
/// has the table of all formats, which tests compare with this one.
package enum StoredFormats {
    /// The version that this build writes, by the name of the format.
    package static var versions: [(name: String, version: Int)] {
        [
            ("entitlement facts", Int(PurchaseFacts.formatVersion)),
            ("refund case", Int(RefundCase.formatVersion)),
            ("saved sweep", ReconciliationVersions.sweep),
            ("received notifications", ReconciliationVersions.receivedNotifications),
            ("archive leaf", ArchiveFormatVersions.leaf),
            ("archive object", ArchiveFormatVersions.object),
            ("archive record", ArchiveFormatVersions.record),
            ("archive gap", ArchiveFormatVersions.gap),
            ("erasure decision", ArchiveFormatVersions.erasure),
            ("key store", ArchiveKeysVersions.keyStore),
            ("archive index", ArchiveKeysVersions.index),
            ("state database", StateVersions.database),
            ("calls file", Int(CallFile.formatVersion)),
        ]
    }
}
