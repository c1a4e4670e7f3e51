package import ObjectStorage
package import TransparencyLog

/// Compares the checkpoint log, which covers all other logs, with its anchored checkpoints outside the archive. If the
/// log is shorter than an anchored checkpoint, the store is empty or contains an older state of the archive.
package enum CheckpointLogHistory {
    /// - Parameter notes: the log's anchored checkpoints. Checkpoints not signed with the archive's own keys are
    ///   ignored.
    /// - Throws: ``ArchiveError``: `beginRefused` or `rolledBack` if an anchored checkpoint has more leaves, or
    ///   `storage`.
    package static func check(
        _ store: any ObjectStore, signer: CheckpointSigner, anchored notes: [SignedNote]
    ) async throws(ArchiveError) {
        let names: LogNames
        do throws(ObjectStoreError) { names = try .checkpointLog() } catch { throw ArchiveError(error) }
        do {
            let origin = names.origin(archive: signer.archive)
            let keys = try signer.verifiers().keys(of: origin)
            let anchored = notes.compactMap { note -> Int? in
                guard (try? note.verified(by: keys)) != nil, let checkpoint = try? Checkpoint(text: note.text),
                    checkpoint.origin == origin
                else { return nil }
                return checkpoint.size
            }.max()
            guard let anchored, anchored > 0 else { return }
            let size = try await LogReader(store, names: names, verifiers: nil).checkpoint()?.checkpoint.size ?? 0
            guard size < anchored else { return }
            throw size == 0
                ? ArchiveError.beginRefused(
                    names, "an anchor already holds a checkpoint of this log with \(anchored) leaves")
                : ArchiveError.rolledBack(names, has: size, signed: anchored, by: "an anchor")
        } catch { throw ArchiveError(error, writing: names) }
    }
}
