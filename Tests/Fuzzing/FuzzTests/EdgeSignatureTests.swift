import AppStoreVerification
import Cryptography
import FuzzTargets
import Primitives
import TestSupport
import Testing

/// Edge cases of ECDSA on P-256 that implementations have mishandled, compared with independent arithmetic.
struct EdgeSignatureTests {
    @Test func `the reference agrees with the known signature of RFC 6979`() throws {
        // Section A.2.5: P-256, SHA-256, message "sample".
        let key = try #require(
            HexText.decode(
                "60fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6"
                    + "7903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299"))
        let signature = try #require(
            HexText.decode(
                "efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716"
                    + "f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8"))
        let digest = SHA256.digest(of: Array("sample".utf8)).bytes
        #expect(ReferenceECDSA.isValid(digest: digest, signature: signature, key: key))
        #expect(ReferenceECDSA.isValid(digest: digest, signature: ReferenceECDSA.twin(of: signature), key: key))
        #expect(!ReferenceECDSA.isValid(digest: digest.reversed(), signature: signature, key: key))
    }

    @Test func `among signatures with an edge number only valid ones over edge digests verify`() throws {
        let cases = try SignatureCases(keys: 3)
        var valid = 0
        let edges = try cases.edges()
        for (index, edge) in edges.enumerated() {
            let verdict = cases.verdict(edge)
            #expect(verdict == (edge.isGood ? .valid : .invalid), "\(HexText.encode(edge.digest + edge.signature))")
            valid += verdict == .valid ? 1 : 0
            // The reference is slow without optimization: only `make fuzz TARGET=ecdsa-signature` compares all cases.
            if index.isMultiple(of: 37) { #expect(cases.isValid(edge) == edge.isGood) }
        }
        let numbers = SignatureCases.edgeNumbers.count
        #expect(edges.count == 3 * (numbers * numbers + numbers * (3 + 2 * numbers)))
        // The digests include zero and n. Complementary signatures are valid too.
        #expect(valid == 3 * numbers * 2)
    }

    @Test func `signatures that reach every special case of the curve are verified as constructed`() throws {
        let signatures = try ConstructedSignature.all()
        for (index, signature) in signatures.enumerated() {
            let digest = try #require(SHA256Digest(bytes: signature.digest))
            let verdict = signature.key.verify(digest: digest, rawSignature: signature.signature)
            // OpenSSL reports an error for a sum at infinity. Only the owner of the key can create such a signature.
            #expect((verdict == .valid) == signature.isValid, "\(signature.name)")
            // The reference is slow without optimization.
            guard index.isMultiple(of: 7) else { continue }
            let isValid = ReferenceECDSA.isValid(
                digest: signature.digest, signature: signature.signature,
                key: Array(signature.key.uncompressedPoint.dropFirst()))
            #expect(isValid == signature.isValid, "\(signature.name)")
        }
        // About half of all numbers are the x of a point.
        #expect(signatures.count { $0.name.hasSuffix("x = r + n") } > 4)
        #expect(signatures.count(where: \.isValid) > 150)
    }

    @Test func `among six thousand signatures the valid and complementary ones verify and corrupted ones fail`()
        throws
    {
        let cases = try SignatureCases(keys: 5)
        var random = SeededGenerator(seed: 1)
        var counts = (valid: 0, invalid: 0)
        for round in 0..<2000 {
            let digest = SHA256.digest(of: Array("\(round)".utf8)).bytes
            let good = SignatureCase(
                key: round, digest: digest, signature: try cases.signature(over: digest, key: round))
            var twin = good
            twin.signature = ReferenceECDSA.twin(of: good.signature)
            var corrupted = good
            corrupted.signature[random.below(64)] ^= 1 << UInt8(random.below(8))
            #expect(cases.verdict(good) == .valid)
            #expect(cases.verdict(twin) == .valid)
            #expect(cases.verdict(corrupted) == .invalid)
            counts.valid += 2
            counts.invalid += 1
            guard round.isMultiple(of: 200) else { continue }
            #expect(cases.isValid(good) && cases.isValid(twin) && !cases.isValid(corrupted))
        }
        #expect(counts == (4000, 2000))
    }

    @Test
    func `a JWS with an edge signature is refused, and a complementary signature gives the same notification`()
        throws
    {
        let material = try SignedMaterial(count: 1)
        let judge = try MutantJudge(
            verifier: try material.verifier(), originals: material.bodies, at: SignedMaterial.now)
        let jws = String(decoding: SignedMaterial.jws(of: material.bodies[0]), as: UTF8.self)
        let segments = jws.split(separator: ".")
        let signature = try #require(CompactJWS.decode(segments[2]))
        func outcome(_ signature: [UInt8]) throws -> String {
            let text = String(decoding: Base64URL.encode(signature), as: UTF8.self)
            return try judge.judge(Array(#"{"signedPayload":"\#(segments[0]).\#(segments[1]).\#(text)"}"#.utf8))
        }
        var refused = 0
        for r in SignatureCases.edgeNumbers + [Array(signature[..<32])] {
            for s in SignatureCases.edgeNumbers {
                #expect(try outcome(r + s) == "refused, signature")
                #expect(try outcome(s + signature[32...]) == "refused, signature")
                refused += 2
            }
        }
        let numbers = SignatureCases.edgeNumbers.count
        #expect(refused == 2 * numbers * (numbers + 1))
        #expect(try outcome(Array(signature[32...] + signature[..<32])) == "refused, signature")
        #expect(try outcome(signature) == "accepted, the same signed bytes and signature")
        #expect(
            try outcome(ReferenceECDSA.twin(of: signature))
                == "accepted, the same signed bytes and the twin of the signature")
    }
}
