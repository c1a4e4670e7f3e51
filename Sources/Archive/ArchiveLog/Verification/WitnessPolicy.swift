package import TransparencyLog

/// The trusted witnesses and their quorum: the subsets that must have cosigned a checkpoint (c2sp.org/tlog-policy).
package struct WitnessPolicy: Sendable {
    /// The trusted witnesses. Cosigned sizes and anchors refer to positions in this list.
    package let witnesses: [NoteVerifier]
    private let quorum: WitnessQuorum
    /// Each witness's index in ``quorum``.
    private let indexes: [Int]
    /// The policy's requirement, worded to complete a message, such as `2 must` in "1 of 3 witnesses have cosigned this
    /// log, but 2 must".
    package let demand: String
    /// The names of witnesses with ML-DSA-44 keys that this libcrypto does not support. Their cosignatures never count.
    package let unavailable: [String]

    /// Creates a policy that requires `quorum` of the witnesses.
    ///
    /// - Parameter quorum: the number of witnesses required; nil requires all.
    /// - Throws: ``TransparencyLogError`` with code `malformedKey` if the list is empty, a witness is listed twice or
    ///   cannot cosign, or the quorum is out of range.
    package init(_ witnesses: [NoteVerifier], quorum: Int? = nil) throws(TransparencyLogError) {
        guard !witnesses.isEmpty else {
            throw TransparencyLogError(.malformedKey, "a policy must list at least one witness")
        }
        guard witnesses.allSatisfy({ $0.type.isCosignature }) else {
            throw TransparencyLogError(.malformedKey, "a witness must have a cosignature key (type 4 or 6)")
        }
        for (index, witness) in witnesses.enumerated()
        where witnesses[..<index].contains(where: { $0.publicKey == witness.publicKey }) {
            throw TransparencyLogError(.malformedKey, "the key of \(witness.name) is listed twice")
        }
        guard (1...witnesses.count).contains(quorum ?? witnesses.count) else {
            throw TransparencyLogError(
                .malformedKey, "the quorum must be from 1 to \(witnesses.count)")
        }
        self.witnesses = witnesses
        indexes = Array(witnesses.indices)
        self.quorum = WitnessQuorum(quorum ?? witnesses.count, of: witnesses.count)
        demand = "\(quorum ?? witnesses.count) must"
        unavailable = []
    }

    /// Creates the policy from a policy file. Returns nil if the file requires no cosignature.
    package init?(_ policy: TlogPolicy) {
        guard !policy.quorum.isNone else { return nil }
        let known = policy.witnesses.enumerated().compactMap { index, witness in
            witness.verifier.map { (index: index, verifier: $0) }
        }
        witnesses = known.map(\.verifier)
        indexes = known.map(\.index)
        quorum = policy.quorum
        demand = "the quorum \(policy.quorumName) must"
        unavailable = policy.witnesses.filter { $0.verifier == nil }.map { String(decoding: $0.name, as: UTF8.self) }
    }

    /// Returns the number of witnesses that have cosigned a note.
    package func cosignatures(on note: SignedNote) -> Int { cosigners(of: note).count }

    /// Returns whether enough witnesses have cosigned a note.
    package func isMet(by note: SignedNote) -> Bool { isMet(by: cosigners(of: note)) }

    /// Returns the largest size that enough witnesses cover, each with a cosigned checkpoint of at least that size, or
    /// nil if too few have cosigned any.
    ///
    /// - Parameter sizes: the size of each witness's cosigned checkpoint, keyed by the witness's position in
    ///   ``witnesses``.
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

    /// Returns the witness with one of the archive's own keys, if any. The archive cosigns every checkpoint with this
    /// key, so the witness proves nothing.
    package func own(_ verifiers: ArchiveVerifiers) -> NoteVerifier? {
        witnesses.first { witness in verifiers.verifiers.contains { $0.publicKey == witness.publicKey } }
    }
}
