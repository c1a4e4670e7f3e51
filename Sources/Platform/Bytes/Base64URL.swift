/// Base64url without padding (RFC 4648 section 5, RFC 7515 section 2), strict: one text for every byte sequence.
package enum Base64URL {
    /// How many bytes that many characters encode.
    package static func decodedCount(_ characters: Int) -> Int { Base64Alphabet.decodedCount(characters) }

    /// How many characters that many bytes become.
    package static func encodedCount(_ bytes: Int) -> Int { Base64Alphabet.encodedCount(bytes) }

    /// Whether `text` is what ``encode(_:)-(UnsafeRawBufferPointer)`` makes of `bytes`; compared in place.
    package static func isEncoding(_ text: UnsafeRawBufferPointer, of bytes: UnsafeRawBufferPointer) -> Bool {
        Base64Alphabet.url.isEncoding(text, of: bytes)
    }

    /// The bytes of `text`.
    ///
    /// - Throws: ``Base64Failure``: `form` when any byte is in no base64 alphabet, else `nearMiss` for `+`, `/`, `=`, spare
    ///   bits that are set, or a count of 4n + 1.
    package static func decode(_ text: UnsafeRawBufferPointer) throws(Base64Failure) -> [UInt8] {
        let characters = text.bindMemory(to: UInt8.self)
        var good = false
        let bytes = [UInt8](unsafeUninitializedCapacity: decodedCount(characters.count)) { out, count in
            // Foreign capacity beyond what was asked for is not used.
            good = Base64Alphabet.url.decode(characters, into: out)
            count = good ? decodedCount(characters.count) : 0
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

    /// Decodes into the caller's memory and returns the count; for small texts on hot paths.
    ///
    /// - Throws: as ``decode(_:)-(UnsafeRawBufferPointer)``; `nearMiss` too when `out` is too small.
    package static func decode(
        _ text: UnsafeRawBufferPointer, into out: UnsafeMutableRawBufferPointer
    ) throws(Base64Failure) -> Int {
        let characters = text.bindMemory(to: UInt8.self)
        guard Base64Alphabet.url.decode(characters, into: out.bindMemory(to: UInt8.self)) else {
            throw Base64Alphabet.failure(of: characters)
        }
        return decodedCount(characters.count)
    }

    /// Whether any byte of `text` is in no base64 alphabet, which decides between the two failures for several texts
    /// together.
    package static func hasForeignByte(_ text: UnsafeRawBufferPointer) -> Bool {
        !text.allSatisfy(Base64Alphabet.isOfEitherAlphabet)
    }

    /// The characters of `bytes`.
    package static func encode(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: Base64Alphabet.encodedCount(bytes.count)) { out, count in
            count = Base64Alphabet.url.encode(bytes, into: out)
        }
    }

    /// The characters of `bytes`.
    package static func encode(_ bytes: [UInt8]) -> [UInt8] {
        bytes.withUnsafeBytes { encode($0) }
    }
}
