import AppStoreSigning
import AppStoreTestSupport
import Cryptography
import Testing

@testable import AppStoreVerification

/// Checks 7 to 9 and the leaf's key: rows H-59 to H-88.
@Suite struct CertificatePathTests {
    @Test(arguments: HostileNotification.lookAlikes)
    func `a path must end at a pinned root`(_ row: HostileNotification) throws {
        try row.check()
    }

    @Test(arguments: HostileNotification.markers)
    func `leaf and intermediate have Apple's markers, and only authorities issue`(_ row: HostileNotification) throws {
        try row.check()
    }

    @Test(arguments: HostileNotification.extensions)
    func `extensions that could change the meaning are rejected`(_ row: HostileNotification) throws {
        try row.check()
    }

    @Test(arguments: HostileNotification.keys)
    func `keys and algorithms outside the profile are rejected`(_ row: HostileNotification) throws {
        try row.check()
    }

    private func refusal(_ chain: [Certificate], _ key: PrivateKey) throws -> Refusal? {
        let kit = try SigningKit.shared()
        let body = SigningKit.body(try kit.jws(chain: chain, key: key))
        guard case .notApple(let refusal) = try kit.verifier().verify(body: body, at: SigningKit.now) else {
            return nil
        }
        return refusal
    }

    @Test func `the refusal of an unknown root with both Apple extensions contains its fingerprint`() throws {
        let own = try SigningKit.imposter()
        let refusal = try #require(try refusal(own.pki.chain, own.pki.leafKey))
        #expect(refusal.reason == .chainRoot)
        #expect(refusal.unknownRootFingerprint == SHA256.digest(of: own.pki.root.der).hex)
    }

    @Test func `without both extensions, or with the pinned root at the end, the refusal has no fingerprint`() throws {
        let kit = try SigningKit.shared()
        let own = try SigningKit.imposter()
        let plainLeaf = try own.leaf { $0.drop(OID("1.2.840.113635.100.6.11.1")) }
        let plain = try own.intermediate { $0.drop(OID("1.2.840.113635.100.6.2.1")) }
        let underPlain = try own.leaf(under: plain)
        let chains = [
            ([plainLeaf.certificate, own.pki.intermediate, own.pki.root], plainLeaf.key),
            ([underPlain.certificate, plain.certificate, own.pki.root], underPlain.key),
            ([own.pki.leaf, own.pki.intermediate, kit.pki.root], own.pki.leafKey),
        ]
        for (chain, key) in chains {
            let refusal = try #require(try refusal(chain, key))
            #expect(refusal.reason == .chainRoot)
            #expect(refusal.unknownRootFingerprint == nil)
        }
    }

    @Test func `a pinned RSA root does not make RSA signatures acceptable`() throws {
        let kit = try SigningKit.shared()
        var options = SigningKit.options
        options.rootKey = .rsa(bits: 3072)
        options.adjustRoot = { $0.digest = .sha256 }
        options.adjustIntermediate = { $0.digest = .sha256 }
        let other = SigningKit(pki: try TestCertificateAuthority(options))
        let verifier = try kit.verifier { $0.roots = [other.pki.root.der] }
        #expect(
            ExpectedVerdict(verifier.verify(body: try other.body(.test), at: SigningKit.now))
                == .forbidden(.chainSignature))
    }
}
