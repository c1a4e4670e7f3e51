package import TransparencyLog

/// A log's checkpoint and the result of verifying its signatures.
package struct VerifiedCheckpoint: Equatable, Sendable {
    package let checkpoint: Checkpoint
    package let note: SignedNote
    /// The time of the cosignature, in seconds since 1970; nil if no key was given to verify it.
    package private(set) var time: Int?
    /// The tree size of the previous checkpoint; nil if the signatures do not cover it.
    package private(set) var previousSize: Int?
    /// Whether the signatures were verified; false if no key was given.
    package private(set) var isSigned = false

    /// Parses and verifies the checkpoint in a note.
    ///
    /// - Parameters:
    ///   - origin: the expected origin; nil accepts any.
    ///   - verifiers: the archive's public keys; nil parses without verifying.
    /// - Throws: ``ArchiveError``: `corruptObject`, `unknownKey`, or `invalidSignature`, including when any of a key's
    ///   three signatures is missing.
    package init(_ note: SignedNote, of origin: String?, verifiers: ArchiveVerifiers?) throws(ArchiveError) {
        self.note = note
        do throws(TransparencyLogError) {
            checkpoint = try Checkpoint(text: note.text)
        } catch { throw ArchiveError(error, reading: nil) }
        guard origin.map({ KeyName.areEqual($0, checkpoint.origin) }) ?? true else {
            throw ArchiveError(.corruptObject, "a checkpoint of a different log: \(checkpoint.origin)")
        }
        guard let verifiers else {
            previousSize = PreviousSize.unverified(of: note, origin: checkpoint.origin)
            return
        }
        let keys = verifiers.allKeys(of: checkpoint.origin)
        let verified: [VerifiedSignature]
        do throws(TransparencyLogError) {
            verified = try note.verified(by: keys)
        } catch { throw ArchiveError(error, reading: nil) }
        for key in Set(keys.map(\.publicKey)) {
            let signed = keys.filter { $0.publicKey == key }.map { key in note.signatures.contains { key.isKey(of: $0) }
            }
            guard !signed.contains(true) || !signed.contains(false) else {
                throw ArchiveError(.invalidSignature, "one of a key's three signatures is missing")
            }
        }
        (time, isSigned) = (verified.compactMap(\.time).max(), true)
        let sizes = Set(verified.compactMap(\.previousSize))
        guard sizes.count <= 1 else {
            throw ArchiveError(.invalidSignature, "its signatures disagree on the size of the previous checkpoint")
        }
        previousSize = sizes.first
    }
}
