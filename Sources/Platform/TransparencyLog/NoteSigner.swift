package import Cryptography

/// A named private key that signs notes.
package struct NoteSigner: Sendable {
    /// The corresponding public key.
    package let verifier: NoteVerifier
    private let key: PrivateKey

    /// - Throws: ``TransparencyLogError`` with code `malformedKey` if the name is invalid or the key is not Ed25519.
    package init(name: String, type: NoteSignatureType = .ed25519, key: PrivateKey) throws(TransparencyLogError) {
        guard let publicKey = key.ed25519PublicKey?.rawBytes else {
            throw TransparencyLogError(.malformedKey, "the key of \(name) is not an Ed25519 key")
        }
        verifier = try NoteVerifier(name: name, type: type, publicKey: publicKey)
        self.key = key
    }

    /// Signs text that ends in a newline.
    ///
    /// - Parameter number: the time of a cosignature in seconds since 1970, or the size in a previous-size signature.
    ///   It must not be negative.
    /// - Throws: ``TransparencyLogError``: `signing` if signing fails, `invalidArgument` if the number is negative.
    package func signature(of text: String, with number: Int = 0) throws(TransparencyLogError) -> NoteSignature {
        guard number >= 0 else {
            throw TransparencyLogError(.invalidArgument, "the time is before 1970, or the size is negative")
        }
        let bytes: [UInt8]
        do {
            switch verifier.type {
            case .ed25519: bytes = try key.ed25519Signature(of: Array(text.utf8))
            case .cosignature: bytes = try sign(number, Cosignature.message(text: text, time: number))
            case .mlDSA44Cosignature: throw TransparencyLogError(.signing, "only Ed25519 keys can sign")
            case .previousSize: bytes = try sign(number, PreviousSize.message(text: text, size: number))
            }
        } catch {
            throw TransparencyLogError(.signing, "failed to sign with the key of \(verifier.name): \(error)")
        }
        return NoteSignature(name: verifier.name, keyID: verifier.keyID, signature: bytes)
    }

    private func sign(_ number: Int, _ message: [UInt8]) throws -> [UInt8] {
        NumberedSignature(number: number, signature: try key.ed25519Signature(of: message)).bytes
    }
}
