import Cryptography
import Foundation
import FuzzTargets
import TestSupport
import Testing

/// Compares precomputed key tables with EVP. The results must be equal for all keys, digests and signatures.
@Suite(.timeLimit(.minutes(60))) struct TablesAgainstEVPTests {
    private static let isLong = ProcessInfo.processInfo.environment["SLUICE_TEST_LONG"] == "1"

    @Test func `every edge signature agrees under its own key and the others, alone and in batches of three`() throws {
        let cases = try SignatureCases(keys: 3)
        let edges = try cases.edges()
        #expect(edges.count == 2160)
        let candidates = try edges.map { try TabledKey.candidate($0.digest, $0.signature) }
        for (number, key) in cases.publicKeys.enumerated() {
            let tabled = try TabledKey(key)
            var valid = 0
            for candidate in candidates { valid += try tabled.check([candidate])[0] ? 1 : 0 }
            #expect(valid == edges.count { $0.isGood && $0.key == number })
            for start in stride(from: 0, to: candidates.count, by: 3) {
                try tabled.check(Array(candidates[start..<start + 3]))
            }
        }
    }

    @Test func `signatures that reach every special case of the curve agree`() throws {
        for (_, signatures) in Dictionary(grouping: try ConstructedSignature.all(), by: \.key.uncompressedPoint) {
            let first = try #require(signatures.first)
            let tabled = try TabledKey(first.key)
            let candidates = try signatures.map { try TabledKey.candidate($0.digest, $0.signature) }
            for (signature, candidate) in zip(signatures, candidates) {
                #expect(try tabled.check([candidate]) == [signature.isValid], "\(signature.name)")
            }
            // A batch contains all signatures of a key, so that valid and invalid ones share inversions.
            #expect(try tabled.check(candidates) == signatures.map(\.isValid))
        }
    }

    @Test func `a signature in a batch does not affect the results of the others`() throws {
        let cases = try SignatureCases(keys: 1)
        let tabled = try TabledKey(cases.publicKeys[0])
        let digests = (0..<4).map { SHA256.digest(of: [UInt8($0)]) }
        let good = try digests.map { try cases.signature(over: $0.bytes, key: 0) }
        let zero = [UInt8](repeating: 0, count: 32)
        let ones = [UInt8](repeating: 0xFF, count: 32)
        // r = 0, s = 0, s above n, two wrong lengths, the signature of another digest.
        let bad: [[UInt8]] = [
            zero + good[0][32...], good[0][..<32] + zero, good[0][..<32] + ones, [], [1], good[3],
        ]
        #expect(try tabled.check([]) == [])
        for count in 1...4 {
            // Every combination of valid and invalid signatures.
            for kinds in 0..<1 << count {
                let isGood = (0..<count).map { index in kinds >> index & 1 == 0 }
                for wrong in bad {
                    let batch = (0..<count).map { index -> TabledKey.Candidate in
                        (digests[index], isGood[index] ? good[index] : wrong)
                    }
                    // The last signature is valid for its own digest.
                    let expected = (0..<count).map { isGood[$0] || $0 == 3 && wrong == good[3] }
                    #expect(try tabled.check(batch) == expected)
                }
            }
        }
    }

    @Test func `random signatures agree, whether valid, complementary, corrupted or random numbers`() throws {
        let count = Self.isLong ? 1_000_000 : 4000
        let cases = try SignatureCases(keys: 8)
        let tabled = try cases.publicKeys.map { try TabledKey($0) }
        var random = SeededGenerator(seed: 15)
        var valid = 0
        for round in 0..<count / 4 {
            let key = round % cases.count
            var digest = (0..<32).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            let good = try cases.signature(over: digest, key: key)
            var corrupted = good
            corrupted[random.below(64)] ^= 1 << UInt8(random.below(8))
            var batch = [
                try TabledKey.candidate(digest, good), try TabledKey.candidate(digest, ReferenceECDSA.twin(of: good)),
                try TabledKey.candidate(digest, corrupted),
            ]
            digest[random.below(32)] ^= 1 << UInt8(random.below(8))
            batch.append(
                try TabledKey.candidate(
                    digest,
                    random.oneIn(2) ? good : (0..<64).map { _ in UInt8(truncatingIfNeeded: random.next()) }))
            batch.shuffle(using: &random)
            valid += try tabled[key].check(batch).count { $0 }
        }
        #expect(valid == count / 2)
    }

    @Test(.enabled(if: TestVectors.arePresent, "\(TestVectors.absence)"))
    func `Apple's samples agree, unchanged and with each of their bits flipped`() throws {
        var judged = 0
        for sample in try TestVectors.appleSamples() {
            let segments = sample.signedPayload.split(separator: ".")
            let header = try #require(CompactJWS.decode(segments[0]))
            let chain = try JSONDecoder().decode(Header.self, from: Data(header)).x5c
            let entry = try #require(chain.first)
            let der = try #require(Data(base64Encoded: entry))
            let leaf = try Certificate(der: Array(der))
            let key = try #require(P256PublicKey(certificate: leaf))
            let tabled = try TabledKey(key)
            let digest = SHA256.digest(of: Array("\(segments[0]).\(segments[1])".utf8))
            let signature = try #require(CompactJWS.decode(segments[2]))
            #expect(try tabled.check([(digest, signature)]) == [true])
            for bit in 0..<512 {
                var changed = signature
                changed[bit / 8] ^= 1 << UInt8(bit % 8)
                #expect(try tabled.check([(digest, changed)]) == [false])
            }
            judged += 1
        }
        #expect(judged > 0)
    }

    private struct Header: Decodable {
        let x5c: [String]
    }

    @Test func `a table of another key is detected`() throws {
        let cases = try SignatureCases(keys: 2)
        let digest = SHA256.digest(of: [1])
        let signature = try cases.signature(over: digest.bytes, key: 0)
        let table = try P256FixedKeyTable(cases.publicKeys[1])
        #expect(table.verify([(digest, signature)]) == [false])
        #expect(cases.publicKeys[0].verify(digest: digest, rawSignature: signature) == .valid)
    }
}
