package import Cryptography

/// A private key that signs notes under a name.
package struct NoteSigner: Sendable {
    /// The public half.
    package let verifier: NoteVerifier
    private let key: PrivateKey

    /// - Throws: ``TransparencyLogError`` with code `malformedKey` for a name that keys may not have, or a key that is not
    ///   Ed25519.
    package init(name: String, type: NoteSignatureType = .ed25519, key: PrivateKey) throws(TransparencyLogError) {
        guard let publicKey = key.ed25519PublicKey?.rawBytes else {
            throw TransparencyLogError(.malformedKey, "the key of \(name) is not an Ed25519 key")
        }
        verifier = try NoteVerifier(name: name, type: type, publicKey: publicKey)
        self.key = key
    }

    /// Signs a text that ends in a newline.
    ///
    /// - Parameter time: for a cosignature, in seconds since 1970, not negative.
    /// - Throws: ``TransparencyLogError`` with code `signing`; `invalidArgument` for a negative time.
    package func signature(of text: String, at time: Int = 0) throws(TransparencyLogError) -> NoteSignature {
        guard time >= 0 else { throw TransparencyLogError(.invalidArgument, "a time before 1970") }
        let bytes: [UInt8]
        do {
            switch verifier.type {
            case .ed25519: bytes = try key.ed25519Signature(of: Array(text.utf8))
            case .cosignature:
                let signature = try key.ed25519Signature(of: Cosignature.message(text: text, time: time))
                bytes = Cosignature.signature(time: time, signature: signature)
            }
        } catch {
            throw TransparencyLogError(.signing, "the key of \(verifier.name) does not sign: \(error)")
        }
        return NoteSignature(name: verifier.name, keyID: verifier.keyID, signature: bytes)
    }
}
