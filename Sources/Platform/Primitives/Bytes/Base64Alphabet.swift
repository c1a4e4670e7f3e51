/// The reason why text is not valid base64.
package enum Base64Failure: Error, Equatable, Sendable {
    /// The text contains a byte that belongs to neither base64 alphabet, such as whitespace, a dot, a quote or a byte
    /// above 127.
    case form
    /// The text resembles base64, but uses the other alphabet, has missing or forbidden padding, an impossible length,
    /// or nonzero spare bits (RFC 4648 section 3.5).
    case nearMiss
}

/// One of the two alphabets defined in RFC 4648, as tables for encoding and decoding.
struct Base64Alphabet: Sendable {
    /// The 64 characters, indexed by value.
    private let characters: [UInt8]
    /// Four 256-entry tables, one for each position in a group of four characters. An entry contains the character's 6
    /// bits, shifted to their position in the three output bytes (first byte lowest). For an invalid character, only
    /// the `foreign` bit is set.
    private let places: [UInt32]

    /// The two characters for each 12-bit value; the first character is in the lower byte.
    private let pairs: [UInt16]
    /// Whether ``VectorBytes`` supports this alphabet.
    private let isForVectors: Bool

    private static let foreign: UInt32 = 1 << 31

    static let standard = Base64Alphabet(last: "+/")
    static let url = Base64Alphabet(last: "-_", isForVectors: true)

    private init(last: StaticString, isForVectors: Bool = false) {
        self.isForVectors = isForVectors
        var characters = Array(UInt8(ascii: "A")...UInt8(ascii: "Z"))
        characters += Array(UInt8(ascii: "a")...UInt8(ascii: "z"))
        characters += Array(UInt8(ascii: "0")...UInt8(ascii: "9"))
        characters += last.withUTF8Buffer { Array($0) }
        var places = [UInt32](repeating: Self.foreign, count: 4 * 256)
        for (value, character) in characters.enumerated() {
            for place in 0..<4 {
                let bits = UInt32(value) << UInt32(18 - 6 * place)
                places[256 * place + Int(character)] = bits.byteSwapped >> 8
            }
        }
        self.characters = characters
        pairs = (0..<4096).map { UInt16(characters[$0 >> 6]) | UInt16(characters[$0 & 63]) << 8 }
        self.places = places
    }

    /// Decodes characters without padding into `out`, which must have room for at least `decodedCount(text.count)`
    /// bytes.
    ///
    /// Returns false for an invalid character, nonzero spare bits or an impossible length; in that case, the contents
    /// of `out` are undefined.
    func decode(_ text: UnsafeBufferPointer<UInt8>, into out: UnsafeMutableBufferPointer<UInt8>) -> Bool {
        let rest = text.count & 3
        let count = Self.decodedCount(text.count)
        guard rest != 1, out.count >= count else { return false }
        return places.withUnsafeBufferPointer { table in
            var seen: UInt32 = 0
            // Vectors may write past the current group, but never past the end of the output.
            var from =
                isForVectors
                ? VectorBytes.decodeBase64URL(text, into: UnsafeMutableBufferPointer(rebasing: out[..<count])) : 0
            var to = from / 4 * 3
            let end = text.count - rest
            // Every index is below 1024: a byte plus at most 768.
            while from < end {
                let group =
                    table[Int(text[from])] | table[256 + Int(text[from + 1])] | table[512 + Int(text[from + 2])]
                    | table[768 + Int(text[from + 3])]
                seen |= group
                out[to] = UInt8(truncatingIfNeeded: group)
                out[to + 1] = UInt8(truncatingIfNeeded: group >> 8)
                out[to + 2] = UInt8(truncatingIfNeeded: group >> 16)
                from += 4
                to += 3
            }
            if rest >= 2 {
                var group = table[Int(text[from])] | table[256 + Int(text[from + 1])]
                if rest == 3 { group |= table[512 + Int(text[from + 2])] }
                seen |= group
                out[to] = UInt8(truncatingIfNeeded: group)
                if rest == 3 { out[to + 1] = UInt8(truncatingIfNeeded: group >> 8) }
                let spare = rest == 2 ? group >> 8 : group >> 16
                guard spare & 0xFF == 0 else { return false }
            }
            return seen & Self.foreign == 0
        }
    }

    /// Encodes `bytes` without padding into `out`, which must be large enough, and returns the number of characters
    /// written.
    func encode(_ bytes: UnsafeRawBufferPointer, into out: UnsafeMutableBufferPointer<UInt8>) -> Int {
        characters.withUnsafeBufferPointer { table in
            var from = 0
            var to = 0
            while from + 3 <= bytes.count {
                let group = UInt32(bytes[from]) << 16 | UInt32(bytes[from + 1]) << 8 | UInt32(bytes[from + 2])
                out[to] = table[Int(group >> 18 & 63)]
                out[to + 1] = table[Int(group >> 12 & 63)]
                out[to + 2] = table[Int(group >> 6 & 63)]
                out[to + 3] = table[Int(group & 63)]
                from += 3
                to += 4
            }
            let rest = bytes.count - from
            guard rest > 0 else { return to }
            let group = UInt32(bytes[from]) << 16 | (rest == 2 ? UInt32(bytes[from + 1]) << 8 : 0)
            out[to] = table[Int(group >> 18 & 63)]
            out[to + 1] = table[Int(group >> 12 & 63)]
            guard rest == 2 else { return to + 2 }
            out[to + 2] = table[Int(group >> 6 & 63)]
            return to + 3
        }
    }

    /// Whether `text` equals the encoding of `bytes`; compares without writing the encoding.
    func isEncoding(_ text: UnsafeRawBufferPointer, of bytes: UnsafeRawBufferPointer) -> Bool {
        guard text.count == Self.encodedCount(bytes.count) else { return false }
        let rest = bytes.count % 3
        let whole = bytes.count - rest
        let isEqual = pairs.withUnsafeBufferPointer { table in
            var difference: UInt32 = 0
            var at = isForVectors ? VectorBytes.matchedBase64URL(text, bytes) : 0
            // Every index is a 12-bit value, so it is below 4096.
            for from in stride(from: at / 4 * 3, to: whole, by: 3) {
                let group = UInt32(bytes[from]) << 16 | UInt32(bytes[from + 1]) << 8 | UInt32(bytes[from + 2])
                let expected = UInt32(table[Int(group >> 12)]) | UInt32(table[Int(group & 0xFFF)]) << 16
                difference |= expected ^ UInt32(littleEndian: text.loadUnaligned(fromByteOffset: at, as: UInt32.self))
                at += 4
            }
            return difference == 0
        }
        guard isEqual, rest > 0 else { return isEqual }
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 4) { last in
            let count = encode(UnsafeRawBufferPointer(rebasing: bytes[whole...]), into: last)
            return last[..<count].elementsEqual(text.suffix(count))
        }
    }

    /// Returns the number of bytes encoded by this number of characters without padding.
    static func decodedCount(_ characters: Int) -> Int {
        characters / 4 * 3 + (characters & 3 == 0 ? 0 : (characters & 3) - 1)
    }

    /// Returns the number of characters that encode this number of bytes without padding.
    static func encodedCount(_ bytes: Int) -> Int {
        bytes / 3 * 4 + (bytes % 3 == 0 ? 0 : bytes % 3 + 1)
    }

    /// Returns the reason why `text` cannot be decoded.
    static func failure(of text: UnsafeBufferPointer<UInt8>) -> Base64Failure {
        text.allSatisfy(isOfEitherAlphabet) ? .nearMiss : .form
    }

    static func isOfEitherAlphabet(_ character: UInt8) -> Bool {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"): true
        case UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "="): true
        default: false
        }
    }
}
