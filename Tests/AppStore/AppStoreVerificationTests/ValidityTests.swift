import AppStoreSigning
import AppStoreTestSupport
import Cryptography
import Testing

@testable import AppStoreVerification

/// Check 11: rows H-77 to H-79, evaluated after the signature.
@Suite struct ValidityTests {
    @Test(arguments: HostileNotification.validity)
    func `certificates are checked at the current time`(_ row: HostileNotification) throws {
        try row.check()
    }

    @Test func `a refusal states the number of seconds outside the validity period`() throws {
        let kit = try SigningKit.shared()
        let body = try kit.body(.test)
        let end = try #require(kit.pki.leaf.validity).notAfter
        let verdict = try kit.verifier().verify(body: body, at: (end + 100) * 1000 + 999)
        guard case .retryLater(let refusal) = verdict else {
            Issue.record("not a retry: \(verdict)")
            return
        }
        #expect(refusal.secondsOutsideValidity == 100)
        #expect(refusal.step == .validity)
        #expect(refusal.certificates?.leaf == kit.pki.leaf.serialNumber)
    }

    @Test(arguments: [Int64.min, -1, 0, Int64.max])
    func `no clock reading traps`(_ now: Int64) throws {
        let kit = try SigningKit.shared()
        let verifier = try kit.verifier()
        #expect(ExpectedVerdict(verifier.verify(body: try kit.body(), at: SigningKit.now)) == .accepted)
        let verdict = verifier.verify(body: try kit.body(), at: now)
        #expect(ExpectedVerdict(verdict) == .forbidden(.certificateTime))
    }
}
