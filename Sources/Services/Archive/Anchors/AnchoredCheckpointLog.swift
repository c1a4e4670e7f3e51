internal import ArchiveLog
internal import ObjectStorage

/// Asks the anchors about the log of checkpoints before this process signs anything. An answer counts until the process
/// ends.
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

    /// - Parameter hasNote: whether this host has signed something before: then an anchor that does not answer is no error.
    /// - Throws: `LogError` where an anchor has more of the log than the archive; ``AnchorUnreachable``.
    func check(hasNote: Bool) async throws {
        guard !isContinued else { return }
        let names = try LogNames.checkpointLog()
        let notes = try await anchors.notes(of: names, origin: names.origin(archive: signer.archive), hasNote: hasNote)
        try await CheckpointLogHistory.check(store, signer: signer, anchored: notes)
        isContinued = !notes.isEmpty || !hasNote
    }
}
