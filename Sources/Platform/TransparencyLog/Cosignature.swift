/// Another party's timestamped statement that it has seen a checkpoint (c2sp.org/tlog-cosignature).
package enum Cosignature {
    /// The message that an Ed25519 key signs: two lines, and then the text of the checkpoint.
    static func message(text: String, time: Int) -> [UInt8] {
        Array("cosignature/v1\ntime \(time)\n\(text)".utf8)
    }

    /// The message that an ML-DSA-44 key signs: the specification's `cosigned_message` for the whole tree. It contains
    /// the cosigner's name, but no extension lines. Nil if the name or the origin is longer than 255 bytes,
    /// or the time is negative.
    static func message(_ checkpoint: Checkpoint, cosigner: String, time: Int) -> [UInt8]? {
        guard let name = UInt8(exactly: cosigner.utf8.count), let origin = UInt8(exactly: checkpoint.origin.utf8.count),
            let time = UInt64(exactly: time), let size = UInt64(exactly: checkpoint.size)
        else { return nil }
        func bytes(_ number: UInt64) -> [UInt8] { withUnsafeBytes(of: number.bigEndian) { Array($0) } }
        var message = Array("subtree/v1\n\0".utf8)
        message += [name] + Array(cosigner.utf8) + bytes(time)
        message += [origin] + Array(checkpoint.origin.utf8) + bytes(0) + bytes(size)
        return message + checkpoint.root.bytes
    }

    /// Returns the latest time of any signature with a name other than the log's, in seconds since 1970, or nil if
    /// there is none. The signatures are not verified.
    package static func unverifiedTime(of note: SignedNote, origin: String) -> Int? {
        note.signatures.lazy.filter { !KeyName.areEqual($0.name, origin) }
            .compactMap { NumberedSignature(bytes: $0.signature)?.number }.max()
    }
}
