import AppStoreSigning
import AppStoreTestSupport
import Cryptography
import Testing

@testable import AppStoreVerification

/// Certificate chains that name Apple's root or an authentic intermediate but were not signed with their keys.
@Suite struct LookAlikeTests {
    private static let hour: Int64 = 3600
    private static let now = SigningKit.now / 1000

    /// Attributes in the order of the certificate.
    private static let appleRoot: [CertificateBuilder.NameAttribute] = [
        .init("CN", "Apple Root CA - G3"), .init("OU", "Apple Certification Authority"), .init("O", "Apple Inc."),
        .init("C", "US"),
    ]

    @Test(arguments: [true, false])
    func `copied names and key identifiers of Apple's root do not replace its signature`(
        _ hasRootInChain: Bool
    ) throws {
        let own = try SigningKit.imposter()
        let root = try Certificate(der: AppleRootCertificate.g3)
        let intermediate = try own.intermediate {
            $0.subject = [.init("CN", "Apple Worldwide Developer Relations Certification Authority")]
            $0.issuerName = Self.appleRoot
            $0.claimedAuthority = root
        }
        #expect(intermediate.certificate.issuer == root.subject)
        let leaf = try own.leaf(under: intermediate)
        let last = hasRootInChain ? root : own.pki.root
        let jws = try own.jws(chain: [leaf.certificate, intermediate.certificate, last], key: leaf.key)
        let verifier = try own.verifier { $0.roots = [AppleRootCertificate.g3] }
        let verdict = verifier.verify(body: SigningKit.body(jws), at: SigningKit.now)
        #expect(ExpectedVerdict(verdict) == .forbidden(.chainRoot))
    }

    @Test func `a forged leaf under an expired intermediate is rejected as forged, without a retry`() throws {
        let row = HostileNotification(
            "H-71", "a forged leaf under an expired intermediate", .forbidden(.chainSignature),
            jws: { kit in
                let expired = try kit.intermediate {
                    $0.validity = CertificateValidity(
                        notBefore: Self.now - 1000 * Self.hour, notAfter: Self.now - Self.hour)
                }
                let forged = try SigningKit.imposter().leaf { $0.claimedAuthority = expired.certificate }
                return try kit.jws(chain: [forged.certificate, expired.certificate, kit.pki.root], key: forged.key)
            })
        try row.check()
    }
}
