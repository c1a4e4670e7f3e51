/// A statement that a tree was seen, with its time (c2sp.org/tlog-cosignature, Ed25519).
package enum Cosignature {
    /// What is signed: two lines before the text of the checkpoint.
    static func message(text: String, time: Int) -> [UInt8] {
        Array("cosignature/v1\ntime \(time)\n\(text)".utf8)
    }

    /// When a checkpoint was signed last by others than the log's own name, in seconds since 1970, not verified; nil when
    /// none does.
    package static func unverifiedTime(of note: SignedNote, origin: String) -> Int? {
        note.signatures.lazy.filter { !KeyName.areEqual($0.name, origin) }
            .compactMap { NumberedSignature(bytes: $0.signature)?.number }.max()
    }
}
