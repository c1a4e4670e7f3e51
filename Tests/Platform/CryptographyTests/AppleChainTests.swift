import Cryptography
import TestSupport
import Testing

/// Tests with Apple's real certificates, read from the test vectors.
@Suite(.enabled(if: TestVectors.arePresent, "\(TestVectors.absence)"))
struct AppleChainTests {
    private static let leafMarker = OID("1.2.840.113635.100.6.11.1")
    private static let intermediateMarker = OID("1.2.840.113635.100.6.2.1")

    @Test func `Apple's captured chain has a path of three certificates with both extensions`() throws {
        let root = try certificate("apple-root-ca-g3")
        let store = try TrustStore(roots: [root])
        let chain = [try certificate("apple-signing-leaf-2025"), try certificate("apple-wwdr-g6"), root]
        let path = try store.validate(chain: chain).get()
        let (leaf, issuer, anchor) = try #require(path.leafIssuerRoot)
        #expect(anchor.sha256Fingerprint.hex == "63343abfb89a6a03ebb57e9b3f5fa7be7c4f5c756f3017b3a8c488c3653e9179")
        #expect(leaf.extensionCount(Self.leafMarker) == 1)
        #expect(issuer.extensionCount(Self.intermediateMarker) == 1)
        #expect(leaf.publicKeyKind == .p256)
        #expect(issuer.publicKeyKind == .p384)
        #expect(leaf.signatureAlgorithm == .ecdsaWithSHA384)
        #expect(leaf.hasUsableExtensions && issuer.hasUsableExtensions)
        #expect(!leaf.constrainsPath && !issuer.constrainsPath)
        #expect(issuer.maySignCertificates && leaf.maySignData && !leaf.isCertificateAuthority)
        #expect(leaf.ocspURL == "http://ocsp.apple.com/ocsp03-wwdrg602")
        #expect(issuer.ocspURL == "http://ocsp.apple.com/ocsp03-applerootcag3")
        // 2026-01-01 is within the validity period; 2028-01-01 is after the leaf's expiry.
        #expect(path.validity?.contains(1_767_225_600) == true)
        #expect(path.validity?.contains(1_830_297_600) == false)
        #expect(chain.allSatisfy { $0.der.count < Certificate.recommendedMaximumByteCount })
    }

    @Test func `a certificate read from PEM equals the one read from DER`() throws {
        for name in ["apple-root-ca-g3", "apple-wwdr-g6", "apple-signing-leaf-2025", "test-root", "mock-old-root-v1"] {
            let fromPEM = try Certificate.certificates(encoded: try TestVectors.bytes("chain/certs/\(name).pem"))
            #expect(fromPEM == [try certificate(name)])
        }
    }

    @Test(arguments: [
        ("test-root", ["test-leaf", "test-intermediate"]),
        ("mock-old-root-v1", ["mock-old-leaf", "mock-old-intermediate"]),
    ])
    func `each test chain of Apple's libraries validates only against its root`(root: String, others: [String]) throws {
        let store = try TrustStore(roots: [try certificate(root)])
        let path = try store.validate(chain: try others.map(certificate)).get()
        #expect(path.certificates.count == 3)
        let foreign = try TrustStore(roots: [try certificate("apple-root-ca-g3")])
        guard case .failure(let failure) = foreign.validate(chain: try (others + [root]).map(certificate)) else {
            Issue.record("a path to a root that is not pinned")
            return
        }
        #expect(failure.kind == .noTrustedRoot)
    }

    @Test func `Apple's leaf and intermediate do not validate if any single bit is changed`() throws {
        let root = try certificate("apple-root-ca-g3")
        let store = try TrustStore(roots: [root])
        let leaf = try certificate("apple-signing-leaf-2025")
        let intermediate = try certificate("apple-wwdr-g6")
        var generator = SeededGenerator(seed: 3)
        var judged = 0
        for round in 0..<150 {
            let flipsLeaf = round.isMultiple(of: 2)
            var der = flipsLeaf ? leaf.der : intermediate.der
            let bit = Int.random(in: 0..<der.count * 8, using: &generator)
            der[bit / 8] ^= 1 << UInt8(bit % 8)
            guard let changed = try? Certificate(der: der) else { continue }
            judged += 1
            let result = store.validate(chain: flipsLeaf ? [changed, intermediate] : [leaf, changed])
            if case .success = result { Issue.record("bit \(bit) of \(flipsLeaf ? "leaf" : "intermediate")") }
        }
        #expect(judged > 50)
    }

    private func certificate(_ name: String) throws -> Certificate {
        try Certificate(der: try TestVectors.bytes("chain/certs/\(name).der"))
    }
}
