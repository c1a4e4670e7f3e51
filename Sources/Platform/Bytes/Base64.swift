/// Base64 with padding (RFC 4648 section 4), strict: one text for every byte sequence, no line breaks.
package enum Base64 {
    /// The bytes of `text`.
    ///
    /// - Throws: ``Base64Failure``: `form` when any byte is in no base64 alphabet, else `nearMiss` for `-`, `_`, missing,
    ///   surplus or misplaced `=`, or spare bits that are set.
    package static func decode(_ text: UnsafeRawBufferPointer) throws(Base64Failure) -> [UInt8] {
        let characters = text.bindMemory(to: UInt8.self)
        // Zero, one or two `=` at the end; any other `=` is foreign to the table.
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

    /// The bytes of `text`.
    ///
    /// - Throws: as ``decode(_:)-(UnsafeRawBufferPointer)``.
    package static func decode(_ text: Span<UInt8>) throws(Base64Failure) -> [UInt8] {
        try text.withUnsafeBytes { (text) throws(Base64Failure) in try decode(text) }
    }

    /// The bytes of `text`.
    ///
    /// - Throws: as ``decode(_:)-(UnsafeRawBufferPointer)``.
    package static func decode(_ text: [UInt8]) throws(Base64Failure) -> [UInt8] {
        try decode(text.span)
    }

    /// The characters of `bytes`, padded to a multiple of four.
    package static func encode(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: (bytes.count / 3 + 1) * 4) { out, count in
            count = Base64Alphabet.standard.encode(bytes, into: out)
            while count & 3 != 0 {
                out[count] = UInt8(ascii: "=")
                count += 1
            }
        }
    }

    /// The characters of `bytes`, padded to a multiple of four.
    package static func encode(_ bytes: [UInt8]) -> [UInt8] {
        bytes.withUnsafeBytes { encode($0) }
    }
}
