import AppStoreTestSupport
import TestSupport
import Testing

@testable import AppStoreVerification

/// Bodies with random modifications from fixed seeds.
@Suite struct MutatedBodyTests {
    @Test func `a body with one changed byte is never accepted and never retried`() throws {
        let kit = try SigningKit.shared()
        let verifier = try kit.verifier { $0.newCertificateChains = NewCertificateChainLimits(perSecond: 100_000) }
        let body = try kit.body()
        var random = SeededGenerator(seed: 1)
        for _ in 0..<1000 {
            let changed = body.withOneByteChanged(using: &random)
            switch verifier.verify(body: changed, at: SigningKit.now) {
            case .notApple: continue
            case let other: Issue.record("a changed body gives \(ExpectedVerdict(other))")
            }
        }
    }

    @Test func `a truncated body is never accepted`() throws {
        let kit = try SigningKit.shared()
        let verifier = try kit.verifier()
        let body = try kit.body()
        var random = SeededGenerator(seed: 2)
        for _ in 0..<300 {
            let cut = Array(body[..<Int.random(in: 0..<body.count, using: &random)])
            guard case .notApple(let refusal) = verifier.verify(body: cut, at: SigningKit.now) else {
                Issue.record("a truncated body of \(cut.count) bytes was not rejected")
                continue
            }
            #expect(refusal.status == 400)
        }
    }

    @Test func `a signed payload with one changed byte never traps`() throws {
        let kit = try SigningKit.shared()
        let verifier = try kit.verifier()
        let payload = Array(try NotificationDraft.test.payload(signingNestedWith: kit.sign).utf8)
        var random = SeededGenerator(seed: 3)
        for _ in 0..<500 {
            let changed = payload.withOneByteChanged(using: &random)
            let jws = try kit.signBytes(changed)
            switch verifier.verify(body: SigningKit.body(jws), at: SigningKit.now) {
            case .accepted, .nonconforming, .notForUs: continue
            case let other: Issue.record("an authentic payload gives \(ExpectedVerdict(other))")
            }
        }
    }
}
