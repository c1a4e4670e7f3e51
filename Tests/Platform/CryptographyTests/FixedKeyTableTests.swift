import Cryptography
import TestSupport
import Testing

/// Multiples of one key, computed in advance.
struct FixedKeyTableTests {
    /// A key, its table, and digests with their signatures.
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

    @Test func `a good table passes its test and judges as OpenSSL does`() throws {
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
    func `signatures of one call are judged each for itself`(_ count: Int) throws {
        let signer = try Signer(count: count)
        for pattern in 0..<1 << min(count, 6) {
            let expected = (0..<count).map { pattern >> $0 & 1 == 0 }
            let signatures = zip(signer.signatures, expected).enumerated().map { index, pair in
                guard !pair.1 else { return pair.0 }
                // Wrong in turn: s, r, s out of range, the length.
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

    @Test func `a table of another key or with another signature does not pass`() throws {
        let (one, other) = (try Signer(count: 2), try Signer(count: 1))
        let (digest, signature) = one.signatures[0]
        #expect(!other.table.passesSelfTest(digest: digest, rawSignature: signature))
        #expect(!one.table.passesSelfTest(digest: one.signatures[1].digest, rawSignature: signature))
        #expect(!one.table.passesSelfTest(digest: digest, rawSignature: []))
    }

    @Test(.enabled(if: hasTableMemory, "this libcrypto keeps its tables in a form that the test does not know"))
    func `a table with one wrong bit does not pass, whichever bit it is`() throws {
        let signer = try Signer(count: 1)
        let (digest, signature) = signer.signatures[0]
        let memory = try #require(TableMemory(of: signer.table.group))
        for sample in 0..<72 {
            // Every window twice, and every place in a window.
            let bit = (sample % 36 * 4096 + sample * 1301 % 4096) * 8 + sample % 8
            memory.flip(bit: bit)
            #expect(!signer.table.passesSelfTest(digest: digest, rawSignature: signature), "bit \(bit)")
            memory.flip(bit: bit)
        }
        #expect(signer.table.passesSelfTest(digest: digest, rawSignature: signature))
    }
}
