package import TransparencyLog

/// A checkpoint of a log as it was read, and what its signatures say.
package struct VerifiedCheckpoint: Equatable, Sendable {
    package let checkpoint: Checkpoint
    package let note: SignedNote
    /// Seconds since 1970, from the cosignature; nil when no key was given to verify it with.
    package private(set) var time: Int?
    /// How many leaves the checkpoint before had; nil when it does not say.
    package private(set) var previousSize: Int?
    /// False when no key was given.
    package private(set) var isSigned = false

    /// The checkpoint in a note.
    ///
    /// - Parameters:
    ///   - origin: the log that it must be of; nil when that is not known before.
    ///   - verifiers: nil reads it without verifying.
    /// - Throws: ``LogReadError``: `malformed`, `unknownKey`, `invalidSignature` also when a key has made some of its
    ///   three signatures and not the others: this archive always makes all.
    package init(_ note: SignedNote, of origin: String?, verifiers: ArchiveVerifiers?) throws(LogReadError) {
        self.note = note
        do throws(TransparencyLogError) {
            checkpoint = try Checkpoint(text: note.text)
        } catch { throw LogReadError(error, reading: nil) }
        guard origin.map({ KeyName.areEqual($0, checkpoint.origin) }) ?? true else {
            throw LogReadError(.malformed, "a checkpoint of another log: \(checkpoint.origin)")
        }
        guard let verifiers else {
            previousSize = PreviousSize.unverified(of: note, origin: checkpoint.origin)
            return
        }
        let keys = verifiers.allKeys(of: checkpoint.origin)
        let verified: [VerifiedSignature]
        do throws(TransparencyLogError) {
            verified = try note.verified(by: keys)
        } catch { throw LogReadError(error, reading: nil) }
        for key in Set(keys.map(\.publicKey)) {
            let signed = keys.filter { $0.publicKey == key }.map { key in note.signatures.contains { key.isKey(of: $0) }
            }
            guard !signed.contains(true) || !signed.contains(false) else {
                throw LogReadError(.invalidSignature, "a key has not made all of its three signatures")
            }
        }
        (time, isSigned) = (verified.compactMap(\.time).max(), true)
        let sizes = Set(verified.compactMap(\.previousSize))
        guard sizes.count <= 1 else {
            throw LogReadError(.invalidSignature, "its keys name different checkpoints before it")
        }
        previousSize = sizes.first
    }
}
