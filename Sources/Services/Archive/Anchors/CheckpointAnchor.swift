internal import ArchiveLog
internal import TransparencyLog

/// A service or store outside the archive that keeps the archive's signed checkpoints. An attacker who can change the
/// archive, even with its key, cannot remove a checkpoint from an anchor.
protocol CheckpointAnchor: Sendable {
    /// The anchor's label in metrics: `kafka`, `store`, or the name of a witness.
    var name: String { get }

    /// Anchors the newest checkpoint of a log. Anchoring the same checkpoint again has no effect.
    ///
    /// - Throws: ``AnchorError``: `conflict` if the anchor's history of the log differs.
    func anchor(_ log: AnchoredLog) async throws(AnchorError)

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

    /// Returns a proof, built from the archive's tiles, that the checkpoint's tree begins with its first `old` leaves.
    func proof(from old: Int) async throws(AnchorError) -> ConsistencyProof {
        do {
            return try await ConsistencyProof.make(old: old, new: size, from: LogTiles(reader: reader, size: size))
        } catch {
            throw AnchorError(.archive, "\(names.prefix): no proof from \(old) to \(size): \(error)")
        }
    }
}

/// A checkpoint could not be anchored.
struct AnchorError: Error, Equatable, CustomStringConvertible {
    /// The kind of failure, used as a metric label.
    enum Code: String, Sendable, CaseIterable {
        /// The anchor did not respond, or reported a temporary failure.
        case unavailable
        /// The anchor does not know this log or its key, or does not accept it.
        case refused
        /// The anchor has a longer log or different leaves, because the archive was rolled back or forked.
        case conflict
        /// The response is malformed or not signed with the anchor's key.
        case answer
        /// The archive could not be read.
        case archive
    }

    let code: Code
    let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    var description: String { message }
}
