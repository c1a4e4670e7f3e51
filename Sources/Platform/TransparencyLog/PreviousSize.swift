internal import Cryptography

/// A statement of the log about the size of its previous checkpoint. It links the checkpoints of a log, so that a
/// removed copy is detected.
package enum PreviousSize {
    static let identifier = "sluice-archive/previous@v1"

    /// The signed message: two lines, then the text of the checkpoint.
    static func message(text: String, size: Int) -> [UInt8] {
        Array("\(identifier)\nprevious \(size)\n\(text)".utf8)
    }

    /// The previous size in a note, not verified; nil when there is none. Signatures of this type have the log's own
    /// name, and no other type with that name has their length.
    package static func unverified(of note: SignedNote, origin: String) -> Int? {
        note.signatures.lazy.filter { KeyName.areEqual($0.name, origin) }
            .compactMap { NumberedSignature(bytes: $0.signature)?.number }.first
    }
}

/// A signature and the number that was signed with it.
struct NumberedSignature {
    let number: Int
    let signature: [UInt8]

    init(number: Int, signature: [UInt8]) {
        self.number = number
        self.signature = signature
    }

    /// Decodes the number and the signature; nil for another length, or a number that does not fit an `Int`.
    ///
    /// - Parameter count: number of bytes of the signature.
    init?(bytes: [UInt8], signatureByteCount count: Int = Ed25519PublicKey.signatureByteCount) {
        // Eight bytes of number, big-endian, then the signature.
        guard bytes.count == 8 + count else { return nil }
        let number = bytes[..<8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard let number = Int(exactly: number) else { return nil }
        self.init(number: number, signature: Array(bytes[8...]))
    }

    var bytes: [UInt8] { withUnsafeBytes(of: UInt64(number).bigEndian) { Array($0) } + signature }
}
