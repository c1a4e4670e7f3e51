/// Converts between the two encodings of a P-256 ECDSA signature: raw (r followed by s, 32 bytes each) and DER
/// (`SEQUENCE { r, s }`).
enum ECDSASignature {
    /// The maximum length of the DER encoding in bytes: two integers with 2 header bytes and up to 33 content bytes
    /// each, and 2 header bytes for the sequence.
    static let maximumDERByteCount = 72
    static let rawByteCount = 64

    /// The order n of P-256's base point.
    private static let order: [UInt8] = [
        0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
        0xBC, 0xE6, 0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
    ]

    /// Writes the DER encoding and returns its length. Returns nil if `raw` is not 64 bytes long, if `out` has fewer
    /// than 72 bytes, or if r or s is outside 1 ..< n.
    static func writeDER(ofRaw raw: UnsafeRawBufferPointer, into out: UnsafeMutableRawBufferPointer) -> Int? {
        guard raw.count == rawByteCount, out.count >= maximumDERByteCount else { return nil }
        var at = 2
        guard writeInteger(raw, from: 0, into: out, at: &at), writeInteger(raw, from: 32, into: out, at: &at) else {
            return nil
        }
        out[0] = 0x30
        out[1] = UInt8(truncatingIfNeeded: at - 2)
        return at
    }

    private static func writeInteger(
        _ raw: UnsafeRawBufferPointer, from start: Int, into out: UnsafeMutableRawBufferPointer, at: inout Int
    ) -> Bool {
        let number = UnsafeRawBufferPointer(rebasing: raw[start..<start + 32])
        guard number.lexicographicallyPrecedes(order), let first = number.firstIndex(where: { $0 != 0 }) else {
            return false
        }
        // A DER integer is signed, so a number with its high bit set needs a leading zero to remain positive.
        let padding = number[first] >> 7
        let count = 32 - first
        out[at] = 0x02
        out[at + 1] = UInt8(truncatingIfNeeded: count) + padding
        at += 2
        if padding == 1 {
            out[at] = 0
            at += 1
        }
        UnsafeMutableRawBufferPointer(rebasing: out[at..<at + count])
            .copyMemory(from: UnsafeRawBufferPointer(rebasing: number[first...]))
        at += count
        return true
    }

    /// Returns the 64 raw bytes of a DER signature created by OpenSSL, or nil if the input is not one.
    static func raw(ofDER der: UnsafeRawBufferPointer) -> [UInt8]? {
        var raw = [UInt8](repeating: 0, count: rawByteCount)
        guard der.count >= 2, der[0] == 0x30, Int(der[1]) == der.count - 2 else { return nil }
        var at = 2
        for end in [32, 64] {
            guard at + 2 <= der.count, der[at] == 0x02 else { return nil }
            var count = Int(der[at + 1])
            at += 2
            guard count > 0, at + count <= der.count else { return nil }
            if der[at] == 0, count > 1 {
                at += 1
                count -= 1
            }
            guard count <= 32 else { return nil }
            for index in 0..<count { raw[end - count + index] = der[at + index] }
            at += count
        }
        return at == der.count ? raw : nil
    }
}
