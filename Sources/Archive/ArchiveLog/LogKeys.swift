package import Cryptography
package import TransparencyLog

/// Signs the checkpoints of an archive's logs. All logs share the same keys; the log's name in a checkpoint
/// distinguishes the checkpoint from those of other logs.
///
/// A checkpoint has three signatures per key. The first, of type Ed25519, has the log's origin as its key name, as
/// recommended by c2sp.org/tlog-checkpoint. The second is a cosignature, which includes the time. Its key name is the
/// archive's origin, because one cosigner signs all logs and c2sp.org/tlog-cosignature does not allow several names for
/// one key. The third, under the log's origin, contains the size of the previous checkpoint.
package struct CheckpointSigner: Sendable {
    /// The archive's origin.
    package let archive: String
    private let keys: [PrivateKey]

    /// - Parameter keys: one key, or two during a key rotation.
    /// - Throws: ``TransparencyLogError`` with code `malformedKey` for a key that is not Ed25519, an empty list, or an
    ///   origin that is not a valid key name.
    package init(archive: String, keys: [PrivateKey]) throws(TransparencyLogError) {
        guard !keys.isEmpty else { throw TransparencyLogError(.malformedKey, "an archive must have at least one key") }
        for key in keys { _ = try NoteSigner(name: archive, key: key) }
        self.archive = archive
        self.keys = keys
    }

    /// Returns the public keys with which others verify signatures.
    package func verifiers() throws(TransparencyLogError) -> ArchiveVerifiers {
        var verifiers: [NoteVerifier] = []
        for key in keys { verifiers.append(try NoteSigner(name: archive, key: key).verifier) }
        return ArchiveVerifiers(verifiers)
    }

    /// Returns a signed checkpoint.
    ///
    /// - Parameters:
    ///   - previous: the tree size of the previous, smaller checkpoint; 0 if there is none.
    ///   - time: seconds since 1970; must not be before the time of an earlier checkpoint of the log.
    /// - Throws: ``TransparencyLogError`` with code `signing`.
    package func sign(
        _ checkpoint: Checkpoint, after previous: Int, at time: Int
    ) throws(TransparencyLogError) -> SignedNote {
        var note = try checkpoint.note()
        for key in keys {
            try note.sign(with: NoteSigner(name: checkpoint.origin, key: key))
            try note.sign(with: NoteSigner(name: archive, type: .cosignature, key: key), time)
            try note.sign(with: NoteSigner(name: checkpoint.origin, type: .previousSize, key: key), previous)
        }
        return note
    }

    /// Signs the text form of a retention statement, which cannot be parsed as a checkpoint.
    package func sign(_ retention: Retention) throws(TransparencyLogError) -> SignedNote {
        var note = try SignedNote(text: retention.text)
        for key in keys { try note.sign(with: NoteSigner(name: retention.origin, key: key)) }
        return note
    }
}

/// The public keys of an archive, each named by the archive's origin: `example.com/archive+1c3d5e7f+AbCd…`.
package struct ArchiveVerifiers: Equatable, Sendable {
    package let verifiers: [NoteVerifier]

    package init(_ verifiers: [NoteVerifier]) { self.verifiers = verifiers }

    /// Parses one key per line; skips empty lines and lines that begin with `#`.
    ///
    /// - Throws: ``TransparencyLogError`` with code `malformedKey`.
    package init(text: String) throws(TransparencyLogError) {
        var verifiers: [NoteVerifier] = []
        for line in text.split(whereSeparator: \.isNewline) where !line.isEmpty && !line.hasPrefix("#") {
            let verifier = try NoteVerifier(text: String(line))
            guard verifier.type != .mlDSA44Cosignature else {
                throw TransparencyLogError(.malformedKey, "the key of \(verifier.name) belongs to a witness")
            }
            verifiers.append(verifier)
        }
        guard !verifiers.isEmpty else { throw TransparencyLogError(.malformedKey, "the text contains no key") }
        self.verifiers = verifiers
    }

    package var text: String { verifiers.map { "\($0.text)\n" }.joined() }

    /// Returns the keys that verify a log's checkpoints in the published formats: signatures under the log's origin and
    /// cosignatures under the archive's origin.
    ///
    /// Keys named after the log's own origin are included; keys of other archives are omitted.
    package func keys(of origin: String) -> [NoteVerifier] {
        verifiers.flatMap { key -> [NoteVerifier] in
            let isOwn = KeyName.areEqual(key.name, origin)
            guard isOwn || origin.utf8.starts(with: "\(key.name)/".utf8) else { return [] }
            return [try? key.with(name: origin, type: .ed25519), try? key.with(type: .cosignature)].compactMap(\.self)
        }
    }

    /// Returns the keys from ``keys(of:)``, plus the keys that verify the size of the previous checkpoint under the
    /// log's origin.
    func allKeys(of origin: String) -> [NoteVerifier] {
        let keys = keys(of: origin)
        return keys + keys.filter { $0.type == .ed25519 }.compactMap { try? $0.with(type: .previousSize) }
    }
}
