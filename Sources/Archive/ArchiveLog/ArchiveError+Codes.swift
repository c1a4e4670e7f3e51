extension ArchiveError.Code {
    /// Codes for a log that cannot be opened or written. Their raw values are used as the `reason` label of a metric.
    package static let writing: [ArchiveError.Code] = [
        .storage, .full, .locked, .otherWriter, .damaged, .checkpointMissing, .beginRefused, .rolledBack, .forked,
        .unknownKey, .signing, .keyStore,
    ]

    /// Codes for a log or checkpoint that cannot be read.
    package static let reading: Set<ArchiveError.Code> = [
        .storage, .unknownKey, .invalidSignature, .missingObject, .corruptObject, .noLeaf,
    ]

    /// Codes for bytes or values that the archive's formats do not allow. Their raw values are printed.
    package static let formats: Set<ArchiveError.Code> = [
        .malformedLeaf, .malformedSegment, .malformedContent, .objectMismatch, .keyNeeded, .notAuthentic, .tooLong,
        .cryptography,
    ]

    /// Codes for keys that a key store failed to return, store or destroy.
    package static let keys: Set<ArchiveError.Code> = [
        .keyStoreMissing, .keyStoreUnavailable, .keyStoreUnusable, .unreadableEncryptionKey, .wrongEncryptionKey,
        .damagedWrappedKey, .foreignMarks, .notOverwritten,
    ]
}

extension ArchiveError {
    /// Whether a log or checkpoint could not be read.
    package var isReadFailure: Bool { Code.reading.contains(code) }

    /// Whether a key store failed to return, store or destroy a key.
    package var isKeyFailure: Bool { Code.keys.contains(code) }

    /// Whether retrying is pointless, because the log remains unavailable until an operator intervenes.
    package var needsOperator: Bool { [.checkpointMissing, .beginRefused, .rolledBack, .forked].contains(code) }
}
