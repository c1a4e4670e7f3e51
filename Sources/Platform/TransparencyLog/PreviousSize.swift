internal import Cryptography

/// A log's statement of the size of its previous checkpoint. It links the checkpoints of a log, so that the removal of
/// a copy is detected.
package enum PreviousSize {
    static let identifier = "sluice-archive/previous@v1"

    /// The signed message: two lines, then the text of the checkpoint.
    static func message(text: String, size: Int) -> [UInt8] {
        Array("\(identifier)\nprevious \(size)\n\(text)".utf8)
    }

    /// Returns the previous size stated in a note, or nil if there is none. The signature is not verified. It has the
    /// log's own name, and no other type of signature with that name has the same length.
    package static func unverified(of note: SignedNote, origin: String) -> Int? {
        note.signatures.lazy.filter { KeyName.areEqual($0.name, origin) }
            .compactMap { NumberedSignature(bytes: $0.signature)?.number }.first
    }
}

/// A signature together with the number that it covers.
struct NumberedSignature {
    let number: Int
    let signature: [UInt8]

    init(number: Int, signature: [UInt8]) {
        self.number = number
        self.signature = signature
    }

    /// Decodes the number and the signature; returns nil if the length is wrong or the number does not fit an `Int`.
    ///
    /// - Parameter count: size of the signature in bytes.
    init?(bytes: [UInt8], signatureByteCount count: Int = Ed25519PublicKey.signatureByteCount) {
        // The number takes eight bytes, big-endian; the signature follows.
        guard bytes.count == 8 + count else { return nil }
        let number = bytes[..<8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard let number = Int(exactly: number) else { return nil }
        self.init(number: number, signature: Array(bytes[8...]))
    }

    var bytes: [UInt8] { withUnsafeBytes(of: UInt64(number).bigEndian) { Array($0) } + signature }
}
