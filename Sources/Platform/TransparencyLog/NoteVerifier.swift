internal import Cryptography
internal import Primitives

/// A public key that verifies notes, with its name and signature type.
package struct NoteVerifier: Equatable, Sendable {
    package let name: String
    package let type: NoteSignatureType
    /// The first four bytes of SHA-256(name || 0x0A || type || public key).
    package let keyID: UInt32
    /// The 32 bytes of an Ed25519 key (RFC 8032), or the 1,312 bytes of an ML-DSA-44 key (FIPS 204).
    package let publicKey: [UInt8]

    private let key: Key

    private enum Key {
        case ed25519(Ed25519PublicKey)
        case mlDSA44(MLDSA44PublicKey)

        func isSignature(_ signature: [UInt8], of message: [UInt8]) -> Bool {
            switch self {
            case .ed25519(let key): key.verify(message, signature: signature) == .valid
            case .mlDSA44(let key): key.verify(message, signature: signature) == .valid
            }
        }
    }

    package static func == (one: NoteVerifier, other: NoteVerifier) -> Bool {
        KeyName.areEqual(one.name, other.name) && one.type == other.type && one.publicKey == other.publicKey
    }

    /// - Throws: ``TransparencyLogError``: `malformedKey` if the name is invalid or the length is wrong for the type;
    ///   `unavailableKey` if this libcrypto cannot use ML-DSA-44 keys.
    package init(name: String, type: NoteSignatureType, publicKey: [UInt8]) throws(TransparencyLogError) {
        guard KeyName.isValid(name) else {
            throw TransparencyLogError(.malformedKey, "a key name must not be empty or contain spaces or plus signs")
        }
        if type == .mlDSA44Cosignature {
            do throws(CryptographyError) {
                key = .mlDSA44(try MLDSA44PublicKey(rawBytes: publicKey))
            } catch {
                let code: TransparencyLogError.Code = error.code == .unavailable ? .unavailableKey : .malformedKey
                throw TransparencyLogError(code, "the key of \(name): \(error.message)")
            }
        } else {
            guard let key = Ed25519PublicKey(rawBytes: publicKey) else {
                throw TransparencyLogError(.malformedKey, "an Ed25519 public key has 32 bytes, not \(publicKey.count)")
            }
            self.key = .ed25519(key)
        }
        self.name = name
        self.type = type
        self.publicKey = publicKey
        keyID = KeyName.keyID(name: name, type: type, publicKey: publicKey)
    }

    /// Parses a verifier key: `<name>+<key id>+<base64 of type and public key>`.
    ///
    /// - Throws: ``TransparencyLogError``: `malformedKey` for any other text, an unsupported signature type, or a wrong
    ///   key id; `unavailableKey` if this libcrypto cannot use ML-DSA-44 keys.
    package init(text: String) throws(TransparencyLogError) {
        let parts = text.utf8.split(separator: UInt8(ascii: "+"), maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let name = String(parts[0]), let bytes = try? Base64.decode(Array(parts[2])),
            let first = bytes.first, let type = NoteSignatureType(rawValue: first), bytes.starts(with: type.identifier)
        else {
            throw TransparencyLogError(
                .malformedKey, "a verifier key must have the form <name>+<key id>+<base64>, for Ed25519 or ML-DSA-44")
        }
        let publicKey = Array(bytes.dropFirst(type.identifier.count))
        let keyID = KeyName.keyID(name: name, type: type, publicKey: publicKey)
        guard parts[1].elementsEqual(Self.hexadecimal(keyID).utf8) else {
            throw TransparencyLogError(.malformedKey, "the key id does not match the name and the key")
        }
        try self.init(name: name, type: type, publicKey: publicKey)
    }

    /// The verifier key as text: `<name>+<key id>+<base64 of type and public key>`.
    package var text: String {
        let key = String(decoding: Base64.encode(type.identifier + publicKey), as: UTF8.self)
        return "\(name)+\(Self.hexadecimal(keyID))+\(key)"
    }

    /// Returns a verifier for this public key with a different name or signature type.
    ///
    /// - Throws: the same errors as ``init(name:type:publicKey:)``.
    package func with(name: String? = nil, type: NoteSignatureType? = nil) throws(TransparencyLogError) -> NoteVerifier
    {
        try NoteVerifier(name: name ?? self.name, type: type ?? self.type, publicKey: publicKey)
    }

    /// Whether a signature has the name and the key id of this key.
    package func isKey(of signature: NoteSignature) -> Bool {
        signature.keyID == keyID && KeyName.areEqual(signature.name, name)
    }

    /// Verifies a signature over text. Returns nil if this key did not make it.
    package func verify(_ signature: NoteSignature, of text: String) -> VerifiedSignature? {
        guard isKey(of: signature) else { return nil }
        switch type {
        case .ed25519:
            guard key.isSignature(signature.signature, of: Array(text.utf8)) else { return nil }
            return VerifiedSignature(name: name, type: type)
        case .cosignature:
            guard let time = number(of: signature, over: { Cosignature.message(text: text, time: $0) }) else {
                return nil
            }
            return VerifiedSignature(name: name, type: type, time: time)
        case .mlDSA44Cosignature:
            guard let checkpoint = try? Checkpoint(text: text),
                let time = number(
                    of: signature, byteCount: MLDSA44PublicKey.signatureByteCount,
                    over: { Cosignature.message(checkpoint, cosigner: name, time: $0) })
            else { return nil }
            return VerifiedSignature(name: name, type: type, time: time)
        case .previousSize:
            guard let size = number(of: signature, over: { PreviousSize.message(text: text, size: $0) }) else {
                return nil
            }
            return VerifiedSignature(name: name, type: type, previousSize: size)
        }
    }

    /// Returns the number in a signature, or nil if this key did not sign it.
    private func number(
        of signature: NoteSignature, byteCount: Int = Ed25519PublicKey.signatureByteCount,
        over message: (Int) -> [UInt8]?
    ) -> Int? {
        guard let signed = NumberedSignature(bytes: signature.signature, signatureByteCount: byteCount),
            let message = message(signed.number), key.isSignature(signed.signature, of: message)
        else { return nil }
        return signed.number
    }

    private static func hexadecimal(_ keyID: UInt32) -> String {
        HexText.encode(withUnsafeBytes(of: keyID.bigEndian) { Array($0) })
    }
}
