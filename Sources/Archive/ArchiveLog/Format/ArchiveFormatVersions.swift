/// The format versions of archive entries and erasure records, printed by `sluicectl version` as JSON.
package enum ArchiveFormatVersions {
    package static var leaf: Int { Int(ArchivePosition.formatVersion) }
    package static var object: Int { Int(ArchiveObject.Form.recordKey.rawValue) }
    package static var record: Int { Int(ArchivedRecord.formatVersion) }
    package static var gap: Int { Int(ArchiveGap.formatVersion) }
    package static var retention: Int { Int(RetentionRecord.formatVersion) }
    package static var reveal: Int { Int(RevealRecord.formatVersion) }
    package static var erasure: Int { Int(ErasureRecord.formatVersion) }
}
