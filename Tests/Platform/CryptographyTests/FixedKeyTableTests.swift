import Cryptography
import TestSupport
import Testing

/// Tests of precomputed multiples of one key.
struct FixedKeyTableTests {
    /// A key, its precomputed table, and digests with their signatures.
    private struct Signer {
        let table: P256FixedKeyTable
        let publicKey: P256PublicKey
        let signatures: [P256FixedKeyTable.Signature]

        init(count: Int) throws {
            let key = try PrivateKey.generate(.p256)
            publicKey = try #require(key.publicKey)
            table = try P256FixedKeyTable(publicKey)
            signatures = try (0..<count).map { index in
                let digest = SHA256.digest(of: [UInt8(truncatingIfNeeded: index)])
                return (digest, try key.es256Signature(digest: digest))
            }
        }
    }

    private static let hasTableMemory: Bool = {
        guard let table = try? Signer(count: 0).table else { return false }
        return TableMemory(of: table.group) != nil
    }()

    @Test func `a correct table passes the self-test and verifies like OpenSSL`() throws {
        let signer = try Signer(count: 40)
        #expect(signer.table.passesSelfTest(digest: signer.signatures[0].digest, rawSignature: signer.signatures[0].1))
        #expect(signer.table.uncompressedPoint == signer.publicKey.uncompressedPoint)
        #expect(signer.table.verify(signer.signatures) == [Bool](repeating: true, count: 40))
        for bit in 0..<512 {
            var changed = signer.signatures[bit % 40]
            changed.rawSignature[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(signer.table.verify([changed]) == [false], "bit \(bit)")
        }
    }

    @Test(arguments: 1...9)
    func `each signature of a batch is verified independently`(_ count: Int) throws {
        let signer = try Signer(count: count)
        for pattern in 0..<1 << min(count, 6) {
            let expected = (0..<count).map { pattern >> $0 & 1 == 0 }
            let signatures = zip(signer.signatures, expected).enumerated().map { index, pair in
                guard !pair.1 else { return pair.0 }
                // Corrupts one property in turn: s, r, s out of range, the length.
                var wrong = pair.0
                switch index % 4 {
                case 0: wrong.rawSignature[63] ^= 1
                case 1: wrong.rawSignature[0] ^= 1
                case 2: wrong.rawSignature.replaceSubrange(32..., with: [UInt8](repeating: 0, count: 32))
                default: wrong.rawSignature.removeLast()
                }
                return wrong
            }
            #expect(signer.table.verify(signatures) == expected)
        }
        #expect(signer.table.verify([]) == [])
    }

    /// The order of the group, and the coordinates of its base point, which is the public key for private key 1.
    private static let order = number("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551")
    private static let x = number("6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296")
    private static let y = number("4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5")

    private static func number(_ text: String) -> [UInt8] { HexText.decode(text) ?? [] }

    private static func difference(_ left: [UInt8], _ right: [UInt8], plus carry: Int = 0) -> [UInt8] {
        var (result, carry) = (left, carry)
        for index in left.indices.reversed() {
            let digit = Int(left[index]) - Int(right[index]) + carry
            result[index] = UInt8(truncatingIfNeeded: digit)
            carry = digit >> 8
        }
        return result
    }

    // With private key 1 and nonce 1, r is the base point's x, and s is e + r.
    @Test(arguments: [
        ("s = r where e = 0", [UInt8](repeating: 0, count: 32), x, true),
        ("e = n is 0", order, x, true),
        ("s = 1", difference(order, x, plus: 1), [UInt8](repeating: 0, count: 31) + [1], true),
        ("s = n + 1 is not 1", difference(order, x, plus: 1), Array(order.dropLast()) + [0x52], false),
        ("s = 0", difference(order, x), [UInt8](repeating: 0, count: 32), false),
        ("s = n", difference(order, x), order, false),
        ("the point at infinity", difference(order, x), x, false),
    ])
    func `a boundary signature is verified like in OpenSSL`(
        name: String, digest: [UInt8], s: [UInt8], isGood: Bool
    ) throws {
        let key = try #require(P256PublicKey(uncompressedPoint: [4] + Self.x + Self.y))
        let table = try P256FixedKeyTable(key)
        let zero = try #require(SHA256Digest(bytes: [UInt8](repeating: 0, count: 32)))
        let digest = try #require(SHA256Digest(bytes: digest))
        #expect((key.verify(digest: digest, rawSignature: Self.x + s) == .valid) == isGood)
        // A valid signature in the same batch must remain valid.
        #expect(table.verify([(digest, Self.x + s), (zero, Self.x + Self.x)]) == [isGood, true])
        #expect(table.verify([(zero, Self.x + Self.x), (digest, Self.x + s)]) == [true, isGood])
    }

    @Test func `a table of another key or with another signature fails the self-test`() throws {
        let (one, other) = (try Signer(count: 2), try Signer(count: 1))
        let (digest, signature) = one.signatures[0]
        #expect(!other.table.passesSelfTest(digest: digest, rawSignature: signature))
        #expect(!one.table.passesSelfTest(digest: one.signatures[1].digest, rawSignature: signature))
        #expect(!one.table.passesSelfTest(digest: digest, rawSignature: []))
    }

    @Test(.enabled(if: hasTableMemory, "this libcrypto keeps its tables in a form that the test does not know"))
    func `a table with any single bit flipped fails the self-test`() throws {
        let signer = try Signer(count: 1)
        let (digest, signature) = signer.signatures[0]
        let memory = try #require(TableMemory(of: signer.table.group))
        for sample in 0..<72 {
            // The samples cover every window twice and every position within a window.
            let bit = (sample % 36 * 4096 + sample * 1301 % 4096) * 8 + sample % 8
            memory.flip(bit: bit)
            #expect(!signer.table.passesSelfTest(digest: digest, rawSignature: signature), "bit \(bit)")
            memory.flip(bit: bit)
        }
        #expect(signer.table.passesSelfTest(digest: digest, rawSignature: signature))
    }
}
