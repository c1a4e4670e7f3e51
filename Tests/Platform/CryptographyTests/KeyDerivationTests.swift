import Cryptography
import Testing

struct KeyDerivationTests {
    // RFC 5869 appendix A.
    @Test(
        arguments: [
            (
                Array(repeating: 0x0B, count: 22), Array(0x00...0x0C), Array(0xF0...0xF9),
                "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"
            ),
            (
                Array(0x00...0x4F), Array(0x60...0xAF), Array(0xB0...0xFF),
                "b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c59045a99cac7827271cb41c65e590e09"
                    + "da3275600c2f09b8367793a9aca3db71cc30c58179ec3e87c14c01d5c1f3434f1d87"
            ),
            (
                Array(repeating: 0x0B, count: 22), [], [],
                "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8"
            ),
        ] as [([UInt8], [UInt8], [UInt8], String)])
    func `HKDF matches the known answers of RFC 5869`(
        key: [UInt8], salt: [UInt8], info: [UInt8], expected: String
    ) throws {
        let derived = try HKDF.derive(
            from: SecretKey(copying: key), salt: salt, info: info, byteCount: expected.utf8.count / 2)
        #expect(derived.withUnsafeBytes { HexText.encode($0) } == expected)
    }

    @Test func `HKDF refuses an empty key and unsupported lengths`() throws {
        let key = SecretKey(copying: [1])
        for count in [Int.min, -1, 0, 255 * 32 + 1, .max] {
            let error = try #require(throws: CryptographyError.self) {
                try HKDF.derive(from: key, info: [], byteCount: count)
            }
            #expect(error.code == .invalidArgument)
        }
        #expect(throws: CryptographyError.self) { try HKDF.derive(from: SecretKey(copying: []), info: []) }
        #expect(try HKDF.derive(from: key, info: [], byteCount: 255 * 32).byteCount == 8_160)
    }

    // RFC 4231 sections 4.2 to 4.7, except the truncated case.
    @Test(
        arguments: [
            (
                Array(repeating: 0x0B, count: 20), Array("Hi There".utf8),
                "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
            ),
            (
                Array("Jefe".utf8), Array("what do ya want for nothing?".utf8),
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
            ),
            (
                Array(repeating: 0xAA, count: 20), Array(repeating: 0xDD, count: 50),
                "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"
            ),
            (
                Array(0x01...0x19), Array(repeating: 0xCD, count: 50),
                "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"
            ),
            (
                Array(repeating: 0xAA, count: 131),
                Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
                "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
            ),
        ] as [([UInt8], [UInt8], String)])
    func `HMAC-SHA256 matches the known answers of RFC 4231, even with a reused key`(
        key: [UInt8], message: [UInt8], expected: String
    ) throws {
        let prepared = try HMACSHA256Key(SecretKey(copying: key))
        #expect(try prepared.code(for: message).hex == expected)
        #expect(try prepared.code(for: []).hex == HMACSHA256.code(for: [], key: key).hex)
        #expect(try prepared.code(for: message).hex == expected)
        #expect(try HMACSHA256.code(for: message, key: key).hex == expected)
    }

    @Test func `an empty key for many messages is refused`() throws {
        let error = try #require(throws: CryptographyError.self) { try HMACSHA256Key(SecretKey(copying: [])) }
        #expect(error.code == .invalidArgument)
    }

    @Test func `a prepared key can be used from many threads at once`() async throws {
        let key = try HMACSHA256Key(SecretKey(copying: [1, 2, 3]))
        let wrong = try await withThrowingTaskGroup(of: Int.self) { group in
            for task in 0..<4 {
                group.addTask {
                    try (0..<250).count { round in
                        let message = [UInt8(task), UInt8(round)]
                        return try key.code(for: message) != HMACSHA256.code(for: message, key: [1, 2, 3])
                    }
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(wrong == 0)
    }

    @Test func `random keys have the requested length, differ, and are never printed`() throws {
        let first = try randomKey(byteCount: 32)
        #expect(first.byteCount == 32)
        let second = try randomKey(byteCount: 32)
        #expect(first.withUnsafeBytes { Array($0) } != second.withUnsafeBytes { Array($0) })
        #expect("\(first)" == "SecretKey(32 bytes)")
        var dumped = ""
        dump(first, to: &dumped)
        #expect(!dumped.contains("buffer"))
        for count in [Int.min, -1, 0, 1_025, .max] {
            #expect(throws: CryptographyError.self) { try randomKey(byteCount: count) }
        }
    }
}
