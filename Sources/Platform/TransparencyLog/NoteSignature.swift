internal import Cryptography
internal import Primitives

/// The type of a signature, which is the byte before the public key in a verifier key (c2sp.org/signed-note).
package enum NoteSignatureType: UInt8, Sendable, CaseIterable {
    /// Ed25519 over the note's text.
    case ed25519 = 0x01
    /// Ed25519 over a timestamp and the note's text (c2sp.org/tlog-cosignature).
    case cosignature = 0x04
    /// ML-DSA-44 over a timestamp and the checkpoint in the note's text (c2sp.org/tlog-cosignature).
    case mlDSA44Cosignature = 0x06
    /// Ed25519 over the note's text and the size of the previous checkpoint (see ``PreviousSize``). This type has no
    /// published format. For such types, c2sp.org/signed-note reserves this byte, followed by a longer identifier.
    /// Readers skip types that they do not implement.
    case previousSize = 0xFF

    /// Whether witnesses use keys of this type.
    package var isCosignature: Bool { self == .cosignature || self == .mlDSA44Cosignature }

    /// The bytes before the public key in a verifier key.
    var identifier: [UInt8] { [rawValue] + (self == .previousSize ? Array(PreviousSize.identifier.utf8) : []) }
}

/// A signature line in a note: `— <key name> base64(<key id> || <signature>)`.
package struct NoteSignature: Hashable, Sendable {
    /// The claimed key name. It is not verified.
    package let name: String
    /// The key id: four bytes as a big-endian number.
    package let keyID: UInt32
    /// The bytes after the key id. For ``NoteSignatureType/ed25519``, these are a 64-byte signature. For the other
    /// types, these are an eight-byte number that the signature covers, and then the signature, which has 2,420 bytes
    /// for ML-DSA-44 and 64 bytes otherwise.
    package let signature: [UInt8]

    package init(name: String, keyID: UInt32, signature: [UInt8]) {
        self.name = name
        self.keyID = keyID
        self.signature = signature
    }

    /// The signature line with its newline.
    package var line: String {
        let id = withUnsafeBytes(of: keyID.bigEndian) { Array($0) }
        return "— \(name) \(String(decoding: Base64.encode(id + signature), as: UTF8.self))\n"
    }

    /// Parses a signature line without its newline. Returns nil if the line is not a signature.
    package init?(line: ArraySlice<UInt8>) {
        let dash = "— ".utf8
        guard line.starts(with: dash) else { return nil }
        let rest = line.dropFirst(dash.count)
        guard let space = rest.firstIndex(of: UInt8(ascii: " ")),
            let name = String(validating: rest[..<space], as: UTF8.self), KeyName.isValid(name),
            let bytes = try? Base64.decode(Array(rest[rest.index(after: space)...])), bytes.count > 4
        else { return nil }
        self.init(
            name: name, keyID: bytes[..<4].reduce(0) { $0 << 8 | UInt32($1) }, signature: Array(bytes[4...]))
    }
}

/// Key names in signed notes.
package enum KeyName {
    /// Whether a name is valid: not empty, and without Unicode spaces, plus signs or control characters.
    package static func isValid(_ name: String) -> Bool {
        !name.isEmpty
            && name.unicodeScalars.allSatisfy {
                !$0.properties.isWhitespace && $0 != "+" && $0.value >= 0x20
            }
    }

    /// Whether two names have the same bytes. The operator `==` on strings also accepts canonically equivalent text.
    package static func areEqual(_ name: String, _ other: String) -> Bool {
        name.utf8.elementsEqual(other.utf8)
    }

    /// Returns the first four bytes of SHA-256(name || 0x0A || type || public key).
    static func keyID(name: String, type: NoteSignatureType, publicKey: [UInt8]) -> UInt32 {
        var digest = SHA256()
        digest.update(Array(name.utf8) + [0x0A] + type.identifier)
        digest.update(publicKey)
        return digest.finish().bytes[..<4].reduce(0) { $0 << 8 | UInt32($1) }
    }
}
