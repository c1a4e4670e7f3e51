/// Strict base64 with padding (RFC 4648 section 4). Each byte sequence has exactly one encoding, without line breaks.
package enum Base64 {
    /// Decodes `text`.
    ///
    /// - Throws: ``Base64Failure``: `form` if a byte belongs to neither base64 alphabet; `nearMiss` for `-`, `_`,
    ///   missing, surplus or misplaced `=`, or nonzero spare bits.
    package static func decode(_ text: UnsafeRawBufferPointer) throws(Base64Failure) -> [UInt8] {
        let characters = text.bindMemory(to: UInt8.self)
        // The text may end with up to two `=`. Any other `=` is rejected, because it is not in the table.
        var padding = 0
        while padding < 2, padding < characters.count, characters[characters.count - 1 - padding] == UInt8(ascii: "=") {
            padding += 1
        }
        let payload = UnsafeBufferPointer(rebasing: characters.dropLast(padding))
        let count = Base64Alphabet.decodedCount(payload.count)
        var good = false
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { out, written in
            good = characters.count & 3 == 0 && Base64Alphabet.standard.decode(payload, into: out)
            written = good ? count : 0
        }
        guard good else { throw Base64Alphabet.failure(of: characters) }
        return bytes
    }

    /// Decodes `text`.
    ///
    /// - Throws: the same errors as ``decode(_:)-(UnsafeRawBufferPointer)``.
    package static func decode(_ text: Span<UInt8>) throws(Base64Failure) -> [UInt8] {
        try text.withUnsafeBytes { (text) throws(Base64Failure) in try decode(text) }
    }

    /// Decodes `text`.
    ///
    /// - Throws: the same errors as ``decode(_:)-(UnsafeRawBufferPointer)``.
    package static func decode(_ text: [UInt8]) throws(Base64Failure) -> [UInt8] {
        try decode(text.span)
    }

    /// Encodes `bytes`, padded to a multiple of four characters.
    package static func encode(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: (bytes.count / 3 + 1) * 4) { out, count in
            count = Base64Alphabet.standard.encode(bytes, into: out)
            while count & 3 != 0 {
                out[count] = UInt8(ascii: "=")
                count += 1
            }
        }
    }

    /// Encodes `bytes`, padded to a multiple of four characters.
    package static func encode(_ bytes: [UInt8]) -> [UInt8] {
        bytes.withUnsafeBytes { encode($0) }
    }
}
