internal import ArchiveLog
internal import Lifecycle
internal import ObjectStorage
internal import TransparencyLog

/// A proof that a cosigned checkpoint covers a record.
///
/// Witnesses cosign the checkpoint log, so a record needs two proofs: one that its leaf is in the tree of its log's
/// checkpoint, and one that this checkpoint is a leaf of the cosigned checkpoint log. In archives written by earlier
/// versions, witnesses cosigned each log's own checkpoints, so the first proof suffices.
struct CosignedProof {
    /// The suffix of the second proof's file, appended to the name of the first one.
    static let suffix = ".checkpoint"

    let checkpoint: VerifiedCheckpoint
    /// The proof that the checkpoint is in the checkpoint log, or nil if the checkpoint itself is cosigned.
    let outer: TlogProof?

    /// Returns the newest cosigned checkpoint that covers a leaf, with its proof, or nil if there is none.
    ///
    /// - Throws: ``ArchiveError``.
    static func newest(
        covering leaf: Int, of reader: LogReader, in store: any ObjectStore
    ) async throws -> CosignedProof? {
        if let own = try await reader.newestCosigned(), own.checkpoint.size > leaf {
            return CosignedProof(checkpoint: own, outer: nil)
        }
        let log = LogReader(store, names: try .checkpointLog(), verifiers: reader.verifiers)
        guard let origin = try await reader.checkpoint()?.checkpoint.origin,
            let cosigned = try await log.newestCosigned(),
            let found = try await log.loggedCheckpoint(of: origin, covering: leaf, size: cosigned.checkpoint.size)
        else { return nil }
        var copy = try await reader.checkpoint(size: found.checkpoint.size)
        // If there is no copy of the checkpoint with this size, the checkpoint may be the newest one, which the archive
        // copies only after writing it.
        if copy == nil { copy = try await reader.checkpoint() }
        guard let checkpoint = copy, checkpoint.checkpoint == found.checkpoint else { return nil }
        let entry = Array(found.checkpoint.text.utf8)
        let outer = try await log.proof(ofLeaf: found.index, in: cosigned, extra: entry)
        return CosignedProof(checkpoint: checkpoint, outer: outer)
    }

    /// Returns the reason that the proof of a checkpoint in a cosigned checkpoint log is invalid, or nil if it is
    /// valid.
    static func problem(
        _ bytes: [UInt8], of checkpoint: VerifiedCheckpoint, _ verifiers: ArchiveVerifiers?, _ policy: WitnessPolicy
    ) -> (exitCode: ExitCode, reason: String)? {
        do {
            let proof = try TlogProof(bytes: bytes)
            let log = try VerifiedCheckpoint(proof.note, of: nil, verifiers: verifiers)
            let names = try LogNames.checkpointLog()
            guard log.checkpoint.origin.hasSuffix("/\(names.prefix)"),
                checkpoint.checkpoint.origin.hasPrefix(log.checkpoint.origin.dropLast(names.prefix.text.count)),
                proof.inclusion.proves(
                    .leaf(Array(checkpoint.note.text.utf8)), size: log.checkpoint.size, root: log.checkpoint.root)
            else { return (.archiveTampered, "the checkpoint is not in this archive's checkpoint log") }
            return problem(log.note, policy)
        } catch let error as ArchiveError {
            return (ExitCode(error), error.message)
        } catch {
            return (.archiveTampered, "the proof of the checkpoint: \(error)")
        }
    }

    /// Returns the reason that a note's cosignatures do not satisfy the policy, or nil if they do.
    static func problem(_ note: SignedNote, _ policy: WitnessPolicy) -> (exitCode: ExitCode, reason: String)? {
        guard !policy.isMet(by: note) else { return nil }
        let count = policy.cosignatures(on: note)
        let unavailable =
            policy.unavailable.isEmpty
            ? "" : "; this libcrypto has no ML-DSA-44 for \(policy.unavailable.joined(separator: ", "))"
        return (
            .archiveKeyUnknown,
            "\(count) of the \(policy.witnesses.count) witnesses have cosigned the checkpoint, but \(policy.demand)\(unavailable)"
        )
    }
}
