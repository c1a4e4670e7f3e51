package import Cryptography
package import TransparencyLog

/// How the logs of an archive are signed. All have the same keys; a log's own name keeps its checkpoints apart from those
/// of another.
///
/// A checkpoint has three signatures of each key: one of type Ed25519 whose key name is the log's origin, as
/// c2sp.org/tlog-checkpoint recommends; a cosignature whose key name is the archive's origin, because one cosigner
/// signs all logs and c2sp.org/tlog-cosignature does not allow one key under several names; and under the log's origin
/// one that says which checkpoint came before. The cosignature has the time.
package struct CheckpointSigner: Sendable {
    /// The archive's origin.
    package let archive: String
    private let keys: [PrivateKey]

    /// - Parameter keys: one, or while keys are exchanged two.
    /// - Throws: ``TransparencyLogError`` with code `malformedKey` for a key that is not Ed25519, no key, or an origin that no
    ///   key can be named after.
    package init(archive: String, keys: [PrivateKey]) throws(TransparencyLogError) {
        guard !keys.isEmpty else { throw TransparencyLogError(.malformedKey, "an archive needs a key") }
        for key in keys { _ = try NoteSigner(name: archive, key: key) }
        self.archive = archive
        self.keys = keys
    }

    /// The public keys, as whoever verifies is given them.
    package func verifiers() throws(TransparencyLogError) -> ArchiveVerifiers {
        var verifiers: [NoteVerifier] = []
        for key in keys { verifiers.append(try NoteSigner(name: archive, key: key).verifier) }
        return ArchiveVerifiers(verifiers)
    }

    /// A signed checkpoint.
    ///
    /// - Parameters:
    ///   - previous: how many leaves the checkpoint before had that had fewer; 0 when there was none.
    ///   - time: seconds since 1970; never before that of an earlier checkpoint of the log.
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

    /// A signed text that is not a checkpoint.
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

    /// The keys in a text, one a line; empty lines and lines that begin with `#` are skipped.
    ///
    /// - Throws: ``TransparencyLogError`` with code `malformedKey`.
    package init(text: String) throws(TransparencyLogError) {
        var verifiers: [NoteVerifier] = []
        for line in text.split(whereSeparator: \.isNewline) where !line.isEmpty && !line.hasPrefix("#") {
            verifiers.append(try NoteVerifier(text: String(line)))
        }
        guard !verifiers.isEmpty else { throw TransparencyLogError(.malformedKey, "there is no key in the text") }
        self.verifiers = verifiers
    }

    package var text: String { verifiers.map { "\($0.text)\n" }.joined() }

    /// The keys as they sign the checkpoints of a log in published formats: under its origin, and cosigning under the archive's.
    ///
    /// A key that is named by the log's own origin is taken too; keys of other archives are left out.
    package func keys(of origin: String) -> [NoteVerifier] {
        verifiers.flatMap { key -> [NoteVerifier] in
            let isOwn = KeyName.areEqual(key.name, origin)
            guard isOwn || origin.utf8.starts(with: "\(key.name)/".utf8) else { return [] }
            return [try? key.with(name: origin, type: .ed25519), try? key.with(type: .cosignature)].compactMap(\.self)
        }
    }

    /// With them the keys as they sign, under the log's origin, which checkpoint came before.
    func allKeys(of origin: String) -> [NoteVerifier] {
        let keys = keys(of: origin)
        return keys + keys.filter { $0.type == .ed25519 }.compactMap { try? $0.with(type: .previousSize) }
    }
}
