/// A statement of the log about the checkpoint before: how many leaves it had. With it the checkpoints of a log are a chain,
/// and a copy that was removed is missed.
package enum PreviousSize {
    static let identifier = "sluice-archive/previous@v1"

    /// What is signed: two lines before the text of the checkpoint.
    static func message(text: String, size: Int) -> [UInt8] {
        Array("\(identifier)\nprevious \(size)\n\(text)".utf8)
    }

    /// What a checkpoint says, not verified; nil when it says nothing. Signatures of this type bear the log's own name, and
    /// none of another type that does is as long.
    package static func unverified(of note: SignedNote, origin: String) -> Int? {
        note.signatures.lazy.filter { KeyName.areEqual($0.name, origin) }
            .compactMap { NumberedSignature(bytes: $0.signature)?.number }.first
    }
}

/// A signature behind the number that was signed with it.
struct NumberedSignature {
    let number: Int
    let signature: [UInt8]

    init(number: Int, signature: [UInt8]) {
        self.number = number
        self.signature = signature
    }

    /// Nil when the form is another, or the number is above what an `Int` holds.
    init?(bytes: [UInt8]) {
        // Eight bytes, big endian, before 64 of signature.
        guard bytes.count == 72 else { return nil }
        let number = bytes[..<8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard let number = Int(exactly: number) else { return nil }
        self.init(number: number, signature: Array(bytes[8...]))
    }

    var bytes: [UInt8] { withUnsafeBytes(of: UInt64(number).bigEndian) { Array($0) } + signature }
}
