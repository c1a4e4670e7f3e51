import AppStoreSigning
import AppStoreTestSupport
import Cryptography
import Testing

@testable import AppStoreVerification

/// Check 10: rows H-72 and H-91 to H-98.
@Suite struct SignatureTests {
    @Test(arguments: HostileNotification.signatures)
    func `only the leaf's signature over the exact bytes is accepted`(_ row: HostileNotification) throws {
        try row.check()
    }

    @Test func `each of the 512 single-bit changes to a signature is rejected`() throws {
        let kit = try SigningKit.shared()
        let verifier = try kit.verifier()
        let jws = try kit.jws(.test)
        #expect(ExpectedVerdict(verifier.verify(body: SigningKit.body(jws), at: SigningKit.now)) == .accepted)
        for bit in 0..<512 {
            let flipped = try HostileNotification.withSignature(jws) { $0[bit / 8] ^= 1 << UInt8(bit % 8) }
            let verdict = verifier.verify(body: SigningKit.body(flipped), at: SigningKit.now)
            #expect(ExpectedVerdict(verdict) == .forbidden(.signature), "bit \(bit)")
        }
    }
}
