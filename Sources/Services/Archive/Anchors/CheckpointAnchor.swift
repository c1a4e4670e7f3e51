internal import ArchiveLog
internal import TransparencyLog

/// A place outside the archive that keeps what the archive has signed. Whoever can change the archive, its key included,
/// cannot take back what an anchor has.
protocol CheckpointAnchor: Sendable {
    /// The label of metrics: `kafka`, `store`, or the name of a witness.
    var name: String { get }

    /// Anchors the newest checkpoint of a log. To anchor one twice changes nothing.
    ///
    /// - Throws: ``AnchorError``: `conflict` when the anchor has another history of the log.
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

    /// That the tree of the checkpoint begins with the first `old` leaves, from the tiles of the archive.
    func proof(from old: Int) async throws(AnchorError) -> ConsistencyProof {
        do {
            return try await ConsistencyProof.make(old: old, new: size, from: LogTiles(reader: reader, size: size))
        } catch {
            throw AnchorError(.archive, "\(names.prefix): no proof from \(old) to \(size): \(error)")
        }
    }
}

/// Why a checkpoint is not anchored.
struct AnchorError: Error, Equatable, CustomStringConvertible {
    /// What kind of failure it is; the label of a metric.
    enum Code: String, Sendable, CaseIterable {
        /// No answer, or one that it cannot now.
        case unavailable
        /// The anchor does not know this log or its key, or does not allow it.
        case refused
        /// The anchor has a longer log or other leaves: the archive was rolled back or forked.
        case conflict
        /// The answer does not have the form that it must have, or is not signed by the anchor's key.
        case answer
        /// The archive itself could not be read.
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
