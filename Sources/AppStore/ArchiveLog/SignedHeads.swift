internal import TransparencyLog

/// The notes of a log that one host signed last, kept outside of the archive. A log "MUST not sign any checkpoint which is
/// inconsistent with any checkpoint it previously signed" (c2sp.org/tlog-checkpoint), and an archive that was lost or put
/// back cannot tell what that was.
///
/// A host follows a log only while it owns the partition, so its notes are a lower bound of what was signed.
package protocol SignedHeads: Sendable {
    /// The notes of the log with this origin; both nil when there are none.
    func notes(of origin: String) throws -> SignedHeadNotes

    /// Replaces the notes of the log. They are durable on return.
    func keep(_ notes: SignedHeadNotes, of origin: String) throws
}

/// Signed checkpoints of one log, as bytes of their notes.
package struct SignedHeadNotes: Equatable, Sendable {
    /// The newest that the archive is known to have had.
    package var published: [UInt8]?
    /// A newer one that was signed and may have been published: the process ended before it knew.
    package var signed: [UInt8]?

    package init(published: [UInt8]? = nil, signed: [UInt8]? = nil) {
        self.published = published
        self.signed = signed
    }
}

/// A checkpoint with the note that signs it.
struct SignedHead: Sendable {
    let checkpoint: Checkpoint
    let note: SignedNote
    /// The time of its cosignature, in seconds since 1970; 0 when no key is known that made one.
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
        // A key that was exchanged since is not known any more; the note is this host's own nevertheless.
        let keys = try signer.verifiers().allKeys(of: origin)
        time = ((try? note.verified(by: keys)) ?? []).compactMap(\.time).max() ?? 0
    }
}
