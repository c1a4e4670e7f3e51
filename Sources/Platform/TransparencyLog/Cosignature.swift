/// A timestamped statement by another party that it has seen a checkpoint (c2sp.org/tlog-cosignature, Ed25519).
package enum Cosignature {
    /// The signed message: two lines, then the text of the checkpoint.
    static func message(text: String, time: Int) -> [UInt8] {
        Array("cosignature/v1\ntime \(time)\n\(text)".utf8)
    }

    /// The latest time of a signature by a name other than the log's own, in seconds since 1970, not verified; nil when
    /// there is none.
    package static func unverifiedTime(of note: SignedNote, origin: String) -> Int? {
        note.signatures.lazy.filter { !KeyName.areEqual($0.name, origin) }
            .compactMap { NumberedSignature(bytes: $0.signature)?.number }.max()
    }
}
