import Primitives
import TestSupport
import Testing

struct Base64Tests {
    private static let known: [(String, String)] = [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
        ("foobar", "Zm9vYmFy"),
    ]

    @Test(arguments: known)
    func `both alphabets match the known answers of RFC 4648`(plain: String, text: String) throws {
        let bytes = Array(plain.utf8)
        #expect(Base64.encode(bytes) == Array(text.utf8))
        #expect(try Base64.decode(Array(text.utf8)) == bytes)
        let unpadded = text.utf8.filter { $0 != UInt8(ascii: "=") }
        #expect(Base64URL.encode(bytes) == unpadded)
        #expect(try Base64URL.decode(unpadded) == bytes)
    }

    @Test func `every length and every byte value round-trips in both alphabets`() throws {
        var generator = SeededGenerator(seed: 1)
        for count in 0...300 {
            let bytes = (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
            #expect(try Base64URL.decode(Base64URL.encode(bytes)) == bytes)
            #expect(try Base64.decode(Base64.encode(bytes)) == bytes)
            #expect(Base64URL.decodedCount(Base64URL.encode(bytes).count) == count)
        }
        #expect(Base64URL.encode([0xFB, 0xFF]) == Array("-_8".utf8))
        #expect(Base64.encode([0xFB, 0xFF]) == Array("+/8=".utf8))
    }

    @Test(arguments: [
        ("A", Base64Failure.nearMiss), ("AAAAA", .nearMiss),  // a length that no encoder produces
        ("Zh", .nearMiss), ("Zm9", .nearMiss), ("Zm9vYh", .nearMiss), ("_w8_Zx", .nearMiss),  // spare bits
        ("Zg==", .nearMiss), ("Zm8=", .nearMiss), ("=", .nearMiss), ("Zm9v=", .nearMiss), ("Zm=v", .nearMiss),
        ("+w", .nearMiss), ("/w", .nearMiss), ("Zm+v", .nearMiss), ("Zm9vZm/v", .nearMiss),
        ("Zm9.", .form), ("Zm 9v", .form), ("Zm9v\n", .form), (" ", .form), ("Zm9v\u{0}", .form), ("Zm9é", .form),
        ("Zm+v.", .form), ("Zg==\n", .form), ("\"Zm9v\"", .form),
    ])
    func `base64url refuses an encoding that is not canonical`(text: String, expected: Base64Failure) {
        #expect(throws: expected) { try Base64URL.decode(Array(text.utf8)) }
        #expect(Array(text.utf8).withUnsafeBytes { Base64URL.hasForeignByte($0) } == (expected == .form))
    }

    @Test(arguments: [
        ("Zg", Base64Failure.nearMiss), ("Zg=", .nearMiss), ("Zm8", .nearMiss), ("Zm9v=", .nearMiss),
        ("Zm9v====", .nearMiss), ("Zh==", .nearMiss), ("Zm9=", .nearMiss), ("====", .nearMiss), ("=", .nearMiss),
        ("A===", .nearMiss), ("Zg==Zg==", .nearMiss), ("Z=g=", .nearMiss), ("Zm-v", .nearMiss), ("Zm_v", .nearMiss),
        ("A", .nearMiss), ("Zm9v\n", .form), ("Zm 9v", .form), ("Zm9\u{0}", .form), ("Zm9\\/", .form),
    ])
    func `padded base64 refuses an encoding that is not canonical`(text: String, expected: Base64Failure) {
        #expect(throws: expected) { try Base64.decode(Array(text.utf8)) }
    }

    @Test func `every byte value is classified correctly at every index of a group`() {
        let alphabet = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        for place in 0..<8 {
            for value in UInt8.min ... .max {
                var text = Array("AAAAAAAA".utf8)
                text[place] = value
                let decoded = try? Base64URL.decode(text)
                #expect((decoded != nil) == alphabet.contains(value))
                // Every byte sequence has exactly one encoding, so encoding the decoded bytes must restore the text.
                if let decoded { #expect(Base64URL.encode(decoded) == text) }
            }
        }
    }

    @Test func `every byte value is classified correctly at every index of a long text`() {
        let alphabet = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        // Vector code reads blocks of 32 characters, which are followed by a tail.
        for place in [0, 1, 15, 16, 30, 31, 32, 33, 47, 63, 64, 95, 96, 100, 127, 128, 139] {
            for value in UInt8.min ... .max {
                var text = [UInt8](repeating: UInt8(ascii: "A"), count: 140)
                text[place] = value
                let decoded = try? Base64URL.decode(text)
                #expect((decoded != nil) == alphabet.contains(value), "\(value) at \(place)")
                if let decoded { #expect(Base64URL.encode(decoded) == text) }
            }
        }
    }

    @Test func `a long text is decoded into a larger buffer without writing past its end`() throws {
        var random = SeededGenerator(seed: 6)
        for count in 40..<140 {
            let bytes = (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) }
            let text = Base64URL.encode(bytes)
            var place = [UInt8](repeating: 9, count: count + 64)
            let written = try place.withUnsafeMutableBytes { out in
                try text.withUnsafeBytes { text in try Base64URL.decode(text, into: out) }
            }
            #expect(written == count)
            #expect(place == bytes + [UInt8](repeating: 9, count: 64))
        }
    }

    @Test func `decoding into a buffer that is too small is refused and writes nothing outside it`() {
        let text = Array("Zm9vYmFy".utf8)
        var place: [UInt8] = [9, 9, 9, 9, 9, 9, 9, 9]
        let result = place.withUnsafeMutableBytes { out in
            text.withUnsafeBytes { text in
                try? Base64URL.decode(text, into: UnsafeMutableRawBufferPointer(rebasing: out[..<5]))
            }
        }
        #expect(result == nil)
        #expect(place == [9, 9, 9, 9, 9, 9, 9, 9])
        let count = place.withUnsafeMutableBytes { out in
            text.withUnsafeBytes { text in try? Base64URL.decode(text, into: out) }
        }
        #expect(count == 6)
        #expect(place == Array("foobar".utf8) + [9, 9])
    }

    @Test func `a text is compared with the encoding of bytes without creating the encoding`() throws {
        var random = SeededGenerator(seed: 5)
        for count in Array(0..<70) + [96, 97, 98, 120, 200] {
            let bytes = (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) }
            let text = Base64URL.encode(bytes)
            func isEncoding(_ text: [UInt8]) -> Bool {
                text.withUnsafeBytes { text in bytes.withUnsafeBytes { Base64URL.isEncoding(text, of: $0) } }
            }
            #expect(Base64URL.encodedCount(count) == text.count)
            #expect(isEncoding(text))
            #expect(!isEncoding(text + [UInt8(ascii: "A")]))
            for index in text.indices {
                var other = text
                other[index] ^= 1
                #expect(!isEncoding(other))
            }
        }
    }
}
