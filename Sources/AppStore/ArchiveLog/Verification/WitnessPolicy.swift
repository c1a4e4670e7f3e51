package import TransparencyLog

/// Witnesses that are believed, and how many of them must have cosigned a checkpoint: "k of n"
/// (c2sp.org/tlog-policy).
package struct WitnessPolicy: Sendable {
    package let witnesses: [NoteVerifier]
    /// 1...n.
    package let quorum: Int

    /// - Parameter quorum: nil demands all.
    /// - Throws: ``TransparencyLogError`` with code `malformedKey` for no witness, one that is named twice or cannot cosign, or a
    ///   quorum that is none of the witnesses.
    package init(_ witnesses: [NoteVerifier], quorum: Int? = nil) throws(TransparencyLogError) {
        guard !witnesses.isEmpty else { throw TransparencyLogError(.malformedKey, "a policy names a witness") }
        guard witnesses.allSatisfy({ $0.type == .cosignature }) else {
            throw TransparencyLogError(.malformedKey, "a witness has a key for cosignatures (type 4)")
        }
        for (index, witness) in witnesses.enumerated()
        where witnesses[..<index].contains(where: { $0.publicKey == witness.publicKey }) {
            throw TransparencyLogError(.malformedKey, "the key of \(witness.name) is named twice")
        }
        guard (1...witnesses.count).contains(quorum ?? witnesses.count) else {
            throw TransparencyLogError(
                .malformedKey, "of \(witnesses.count) witnesses a quorum is 1 to \(witnesses.count)")
        }
        self.witnesses = witnesses
        self.quorum = quorum ?? witnesses.count
    }

    /// How many of the witnesses have cosigned a note.
    package func cosignatures(on note: SignedNote) -> Int {
        witnesses.count { witness in note.signatures.contains { witness.verify($0, of: note.text) != nil } }
    }

    /// The witness whose key is one of the archive's own, which cosigns every checkpoint and proves nothing.
    package func own(_ verifiers: ArchiveVerifiers) -> NoteVerifier? {
        witnesses.first { witness in verifiers.verifiers.contains { $0.publicKey == witness.publicKey } }
    }
}
