internal import TransparencyLog

/// Storage outside the archive for the last notes that this host signed for each log. A log "MUST not sign any
/// checkpoint which is inconsistent with any checkpoint it previously signed" (c2sp.org/tlog-checkpoint). After a loss
/// or a restore, the archive itself no longer has these checkpoints.
///
/// A host writes a log only while it owns the partition, so its notes are a lower bound for the signed checkpoints.
package protocol SignedHeads: Sendable {
    /// Returns the two notes of the log with this origin; each is nil if it is not stored.
    func notes(of origin: String) throws -> SignedHeadNotes

    /// Replaces the log's notes. The new notes are durable on return.
    func keep(_ notes: SignedHeadNotes, of origin: String) throws
}

/// The bytes of one log's signed checkpoint notes.
package struct SignedHeadNotes: Equatable, Sendable {
    /// The newest checkpoint that is known to be published in the archive.
    package var published: [UInt8]?
    /// A newer signed checkpoint that may or may not have been published.
    package var signed: [UInt8]?

    package init(published: [UInt8]? = nil, signed: [UInt8]? = nil) {
        self.published = published
        self.signed = signed
    }
}

/// A checkpoint with the note that contains its signatures.
struct SignedHead: Sendable {
    let checkpoint: Checkpoint
    let note: SignedNote
    /// The time of the cosignature, in seconds since 1970; 0 if there is none from a known key.
    let time: Int

    init(_ bytes: [UInt8], origin: String, signer: CheckpointSigner) throws {
        try self.init(SignedNote(bytes: bytes), origin: origin, signer: signer)
    }

    init(_ note: SignedNote, origin: String, signer: CheckpointSigner) throws {
        self.note = note
        checkpoint = try Checkpoint(text: note.text)
        guard KeyName.areEqual(checkpoint.origin, origin) else {
            throw TransparencyLogError(.malformedCheckpoint, "a checkpoint of \(checkpoint.origin), not of \(origin)")
        }
        // After a key rotation, the note's key may be unknown. That is not an error, because this host signed the note.
        let keys = try signer.verifiers().allKeys(of: origin)
        time = ((try? note.verified(by: keys)) ?? []).compactMap(\.time).max() ?? 0
    }
}
