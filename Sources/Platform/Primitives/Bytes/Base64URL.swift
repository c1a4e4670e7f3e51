/// Strict base64url without padding (RFC 4648 section 5, RFC 7515 section 2). Each byte sequence has exactly one
/// encoding.
package enum Base64URL {
    /// Returns the number of bytes encoded by this number of characters.
    package static func decodedCount(_ characters: Int) -> Int { Base64Alphabet.decodedCount(characters) }

    /// Returns the number of characters that encode this number of bytes.
    package static func encodedCount(_ bytes: Int) -> Int { Base64Alphabet.encodedCount(bytes) }

    /// Whether `text` equals the encoding of `bytes`; compares in place.
    package static func isEncoding(_ text: UnsafeRawBufferPointer, of bytes: UnsafeRawBufferPointer) -> Bool {
        Base64Alphabet.url.isEncoding(text, of: bytes)
    }

    /// Decodes `text`.
    ///
    /// - Throws: ``Base64Failure``: `form` if a byte belongs to neither base64 alphabet; `nearMiss` for `+`, `/`, `=`,
    ///   nonzero spare bits, or a length of 4n + 1.
    package static func decode(_ text: UnsafeRawBufferPointer) throws(Base64Failure) -> [UInt8] {
        let characters = text.bindMemory(to: UInt8.self)
        var good = false
        let bytes = [UInt8](unsafeUninitializedCapacity: decodedCount(characters.count)) { out, count in
            // The array may have more capacity than requested; the excess is not used.
            good = Base64Alphabet.url.decode(characters, into: out)
            count = good ? decodedCount(characters.count) : 0
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

    /// Decodes into the caller's memory and returns the number of bytes. Intended for short text on hot paths.
    ///
    /// - Throws: the same errors as ``decode(_:)-(UnsafeRawBufferPointer)``; also `nearMiss` if `out` is too small.
    package static func decode(
        _ text: UnsafeRawBufferPointer, into out: UnsafeMutableRawBufferPointer
    ) throws(Base64Failure) -> Int {
        let characters = text.bindMemory(to: UInt8.self)
        guard Base64Alphabet.url.decode(characters, into: out.bindMemory(to: UInt8.self)) else {
            throw Base64Alphabet.failure(of: characters)
        }
        return decodedCount(characters.count)
    }

    /// Whether `text` contains a byte that belongs to neither base64 alphabet, which distinguishes `form` from
    /// `nearMiss`.
    package static func hasForeignByte(_ text: UnsafeRawBufferPointer) -> Bool {
        !text.allSatisfy(Base64Alphabet.isOfEitherAlphabet)
    }

    /// Encodes `bytes`.
    package static func encode(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: Base64Alphabet.encodedCount(bytes.count)) { out, count in
            count = Base64Alphabet.url.encode(bytes, into: out)
        }
    }

    /// Encodes `bytes`.
    package static func encode(_ bytes: [UInt8]) -> [UInt8] {
        bytes.withUnsafeBytes { encode($0) }
    }
}
