package import TransparencyLog

/// Witnesses that are believed, and which of them must have cosigned a checkpoint (c2sp.org/tlog-policy).
package struct WitnessPolicy: Sendable {
    /// A position in this list is the witness's index in the quorum.
    package let witnesses: [NoteVerifier]
    private let quorum: WitnessQuorum
    /// The index of each witness in the quorum.
    private let indexes: [Int]
    /// The demand as a clause: `2 must`.
    package let demand: String

    /// "k of n".
    ///
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
        indexes = Array(witnesses.indices)
        self.quorum = WitnessQuorum(quorum ?? witnesses.count, of: witnesses.count)
        demand = "\(quorum ?? witnesses.count) must"
    }

    /// The witnesses of a policy file; nil for one that demands no cosignature.
    package init?(_ policy: TlogPolicy) {
        guard !policy.quorum.isNone else { return nil }
        let known = policy.witnesses.enumerated().compactMap { index, witness in
            witness.verifier.map { (index: index, verifier: $0) }
        }
        witnesses = known.map(\.verifier)
        indexes = known.map(\.index)
        quorum = policy.quorum
        demand = "the quorum \(policy.quorumName) must"
    }

    /// How many of the witnesses have cosigned a note.
    package func cosignatures(on note: SignedNote) -> Int { cosigners(of: note).count }

    /// Whether the witnesses that have cosigned a note are enough.
    package func isMet(by note: SignedNote) -> Bool { isMet(by: cosigners(of: note)) }

    /// The largest size that enough witnesses have cosigned, each by a checkpoint of that size or a larger one; nil when too few
    /// have cosigned any.
    ///
    /// - Parameter sizes: leaves that each has cosigned, by its position in ``witnesses``.
    func cosignedSize(_ sizes: [Int: Int]) -> Int? {
        Set(sizes.values).sorted(by: >).first { size in isMet(by: sizes.filter { $0.value >= size }.keys) }
    }

    private func cosigners(of note: SignedNote) -> [Int] {
        witnesses.indices.filter { index in
            note.signatures.contains { witnesses[index].verify($0, of: note.text) != nil }
        }
    }

    private func isMet(by cosigners: some Sequence<Int>) -> Bool {
        quorum.isMet(by: Set(cosigners.map { indexes[$0] }))
    }

    /// The witness whose key is one of the archive's own, which cosigns every checkpoint and proves nothing.
    package func own(_ verifiers: ArchiveVerifiers) -> NoteVerifier? {
        witnesses.first { witness in verifiers.verifiers.contains { $0.publicKey == witness.publicKey } }
    }
}
