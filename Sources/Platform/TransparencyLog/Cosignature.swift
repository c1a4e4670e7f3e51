/// A statement that a tree was seen, with its time (c2sp.org/tlog-cosignature, Ed25519).
package enum Cosignature {
    /// Eight bytes of time before 64 of signature.
    static let byteCount = 72

    /// What is signed: two lines before the text of the checkpoint.
    static func message(text: String, time: Int) -> [UInt8] {
        Array("cosignature/v1\ntime \(time)\n\(text)".utf8)
    }

    /// Time and signature; nil when the form is another, or the time is above what the format allows.
    static func parts(of signature: [UInt8]) -> (time: Int, signature: [UInt8])? {
        guard signature.count == byteCount else { return nil }
        let time = signature[..<8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard let time = Int(exactly: time) else { return nil }
        return (time, Array(signature[8...]))
    }

    static func signature(time: Int, signature: [UInt8]) -> [UInt8] {
        withUnsafeBytes(of: UInt64(time).bigEndian) { Array($0) } + signature
    }
}
