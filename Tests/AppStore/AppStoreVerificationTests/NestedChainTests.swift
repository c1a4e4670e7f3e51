import AppStoreSigning
import AppStoreTestSupport
import Testing

@testable import AppStoreVerification

/// Nested objects with a different certificate chain than the notification. Apple's outer signature covers them.
@Suite struct NestedChainTests {
    @Test func `a new certificate chain of a nested object is not rate-limited`() throws {
        let kit = try SigningKit.shared()
        let leaf = try kit.leaf()
        let header = JWSSigner.header(chain: [leaf.certificate, kit.pki.intermediate, kit.pki.root])
        let payload = try NotificationDraft().payload { try kit.sign($0, header: header, key: leaf.key) }
        let body = SigningKit.body(try kit.sign(payload))
        let verifier = try kit.verifier {
            $0.newCertificateChains = NewCertificateChainLimits(perSecond: 1, concurrency: 1)
        }
        #expect(ExpectedVerdict(verifier.verify(body: body, at: SigningKit.now)) == .accepted)
        #expect(verifier.chainValidations == 2)
    }
}
