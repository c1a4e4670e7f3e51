internal import ArchiveLog
internal import TransparencyLog

/// A service or store outside the archive that keeps the archive's signed checkpoints. An attacker who can change the
/// archive, even with its key, cannot remove a checkpoint from an anchor.
protocol CheckpointAnchor: Sendable {
    /// The anchor's label in metrics: `kafka`, `store`, or the name of a witness.
    var name: String { get }

    /// Anchors the newest checkpoint of a log. Anchoring the same checkpoint again has no effect.
    ///
    /// - Throws: ``ArchiveServiceError``: `conflict` if the anchor's history of the log differs.
    func anchor(_ log: AnchoredLog) async throws(ArchiveServiceError)

    func close(within limit: Duration) async
}

extension CheckpointAnchor {
    func close(within limit: Duration) async {}
}

/// A log at one of its checkpoints.
struct AnchoredLog: Sendable {
    let reader: LogReader
    let checkpoint: VerifiedCheckpoint

    var names: LogNames { reader.names }
    var size: Int { checkpoint.checkpoint.size }

    /// Returns a consistency proof from the tree of size `old` to the checkpoint's tree, built from the archive's
    /// tiles.
    func proof(from old: Int) async throws(ArchiveServiceError) -> ConsistencyProof {
        do {
            return try await ConsistencyProof.make(old: old, new: size, from: LogTiles(reader: reader, size: size))
        } catch {
            throw ArchiveServiceError(.archive, "\(names.prefix): no proof from \(old) to \(size): \(error)")
        }
    }
}
