import Cryptography
import Testing

struct SHA256Tests {
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
    ])
    func `one call, pieces and a midstate all match the known answers of FIPS 180`(text: String, expected: String) {
        let bytes = Array(text.utf8)
        #expect(SHA256.digest(of: bytes).hex == expected)
        for cut in 0...bytes.count {
            var hash = SHA256()
            hash.update(Array(bytes[..<cut]))
            hash.update(Array(bytes[cut...]))
            #expect(hash.finish().hex == expected)
            let midstate = SHA256Midstate(prefix: Array(bytes[..<cut]))
            #expect(midstate.digest(suffix: Array(bytes[cut...])).hex == expected)
        }
    }

    @Test func `finish resets the digest`() {
        var hash = SHA256()
        hash.update(Array("something else".utf8))
        _ = hash.finish()
        hash.update(Array("abc".utf8))
        #expect(hash.finish() == SHA256.digest(of: Array("abc".utf8)))
    }

    @Test func `a midstate can be used from many threads at once`() async {
        let prefix = [UInt8](repeating: 7, count: 5_000)
        let midstate = SHA256Midstate(prefix: prefix)
        let wrong = await withTaskGroup(of: Int.self) { group in
            for task in 0..<4 {
                group.addTask {
                    (0..<250).count { round in
                        let suffix = [UInt8(task), UInt8(round)]
                        return midstate.digest(suffix: suffix) != SHA256.digest(of: prefix + suffix)
                    }
                }
            }
            return await group.reduce(0, +)
        }
        #expect(wrong == 0)
    }

    @Test func `a digest keeps its 32 bytes`() throws {
        let digest = SHA256.digest(of: Array("abc".utf8))
        #expect(digest.bytes.count == SHA256Digest.byteCount)
        #expect(SHA256Digest(bytes: digest.bytes) == digest)
        #expect(SHA256Digest(bytes: digest.bytes.dropLast()) == nil)
        #expect(SHA256Digest(bytes: digest.bytes + [0]) == nil)
        var other = digest.bytes
        other[31] ^= 1
        #expect(try #require(SHA256Digest(bytes: other)) != digest)
    }
}

struct SecretBytesTests {
    @Test func `HMAC-SHA256 matches the known answers of RFC 4231`() throws {
        let second = try HMACSHA256.code(for: Array("what do ya want for nothing?".utf8), key: Array("Jefe".utf8))
        #expect(second.hex == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
        let first = try HMACSHA256.code(for: Array("Hi There".utf8), key: [UInt8](repeating: 0x0B, count: 20))
        #expect(first.hex == "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7")
    }

    @Test func `HMAC-SHA256 accepts an empty key and an empty message`() throws {
        let code = try HMACSHA256.code(for: [], key: [])
        #expect(code.hex == "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad")
    }

    @Test(
        arguments: [
            ([], [], true), ([1], [1], true), ([1], [2], false), ([1], [], false), ([1, 2, 3], [1, 2, 4], false),
            ([1, 2, 3], [1, 2], false),
        ] as [([UInt8], [UInt8], Bool)])
    func `secrets compare equal only if every byte is equal`(left: [UInt8], right: [UInt8], expected: Bool) {
        #expect(constantTimeEquals(left, right) == expected)
    }

    @Test func `random bytes have the requested count and differ`() throws {
        #expect(try randomBytes(0).isEmpty)
        let first = try randomBytes(32)
        #expect(first.count == 32)
        #expect(try randomBytes(32) != first)
    }

    @Test func `hexadecimal text is encoded and decoded, and other text is refused`() {
        #expect(HexText.encode([0x00, 0x0F, 0xA5, 0xFF]) == "000fa5ff")
        #expect(HexText.decode("000fA5FF") == [0x00, 0x0F, 0xA5, 0xFF])
        #expect(HexText.decode("0") == nil)
        #expect(HexText.decode("0g") == nil)
        #expect(HexText.decode("é") == nil)
    }

    @Test func `repeated initialization is harmless, and the version is reported`() throws {
        try initializeCryptography()
        try initializeCryptography()
        #expect(cryptographyVersion.hasPrefix("OpenSSL "))
    }
}
