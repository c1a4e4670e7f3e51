internal import Cryptography

/// A log's statement of its previous checkpoint's size. It links the checkpoints of a log, so that a removed checkpoint
/// is detected.
package enum PreviousSize {
    static let identifier = "sluice-archive/previous@v1"

    /// The signed message: two lines, and then the text of the checkpoint.
    static func message(text: String, size: Int) -> [UInt8] {
        Array("\(identifier)\nprevious \(size)\n\(text)".utf8)
    }

    /// Returns the previous size in a note, or nil if there is none. Does not verify the signature. The signature is
    /// identified by the log's name and by its length, because other signature types under the same name have different
    /// lengths.
    package static func unverified(of note: SignedNote, origin: String) -> Int? {
        note.signatures.lazy.filter { KeyName.areEqual($0.name, origin) }
            .compactMap { NumberedSignature(bytes: $0.signature)?.number }.first
    }
}

/// A signature and the number that it covers.
struct NumberedSignature {
    let number: Int
    let signature: [UInt8]

    init(number: Int, signature: [UInt8]) {
        self.number = number
        self.signature = signature
    }

    /// Decodes the number and the signature. Returns nil if the length is wrong or the number does not fit in an `Int`.
    ///
    /// - Parameter count: the size of the signature in bytes.
    init?(bytes: [UInt8], signatureByteCount count: Int = Ed25519PublicKey.signatureByteCount) {
        // The number has eight bytes, big-endian. The signature follows.
        guard bytes.count == 8 + count else { return nil }
        let number = bytes[..<8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard let number = Int(exactly: number) else { return nil }
        self.init(number: number, signature: Array(bytes[8...]))
    }

    var bytes: [UInt8] { withUnsafeBytes(of: UInt64(number).bigEndian) { Array($0) } + signature }
}
