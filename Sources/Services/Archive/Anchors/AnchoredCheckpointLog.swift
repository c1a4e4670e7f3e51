internal import ArchiveLog
internal import ObjectStorage

/// Checks the checkpoint log against the anchors before this process signs anything. Once an anchor has returned a
/// checkpoint, or all anchors have been read for a log that this host had not signed, the process does not check again.
actor AnchoredCheckpointLog {
    private let store: any ObjectStore
    private let signer: CheckpointSigner
    private let anchors: AnchoredHeads
    private var isContinued = false

    init(store: any ObjectStore, signer: CheckpointSigner, anchors: AnchoredHeads) {
        self.store = store
        self.signer = signer
        self.anchors = anchors
    }

    /// - Parameter hasNote: whether this host has a signed note for the log that is being opened. If it has one, an
    ///   unreachable anchor is not an error.
    /// - Throws: `ArchiveError` if an anchor has more of the log than the archive, or ``ArchiveServiceError``:
    ///   `anchorUnreachable`.
    func check(hasNote: Bool) async throws {
        guard !isContinued else { return }
        let names = try LogNames.checkpointLog()
        let notes = try await anchors.notes(of: names, origin: names.origin(archive: signer.archive), hasNote: hasNote)
        try await CheckpointLogHistory.check(store, signer: signer, anchored: notes)
        isContinued = !notes.isEmpty || !hasNote
    }
}
