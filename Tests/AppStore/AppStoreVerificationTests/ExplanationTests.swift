import AppStoreSigning
import AppStoreTestSupport
import Cryptography
import Testing

@testable import AppStoreVerification

/// The verdict step by step, in readable form.
@Suite struct ExplanationTests {
    private let now = SigningKit.now

    @Test func `a valid body passes every step`() throws {
        let kit = try SigningKit.shared()
        let explanation = try kit.verifier().explain(kit.body() + [0x0A], at: now)
        #expect(explanation.isGood)
        #expect(explanation.kind == .notification)
        #expect(explanation.steps.map(\.step) == VerificationStep.allCases)
        #expect(explanation.steps.map(\.step.rawValue) == Array(3...14))
        for step in explanation.steps {
            #expect(step.outcome == (step.step == .revocation ? .skipped : .passed))
        }
        #expect(explanation.certificates.map(\.serial) == kit.pki.chain.map(\.serialNumber))
        #expect(explanation.certificates.map(\.subject) == kit.pki.chain.map(\.subject))
        #expect(explanation.certificates.first?.notAfter == kit.pki.leaf.validity?.notAfter)
        #expect(explanation.payload != nil)
    }

    @Test func `the failed step states its reason, and later steps are not reached`() throws {
        let kit = try SigningKit.shared()
        let jws = try kit.jws(chain: kit.pki.chain, key: .generate(.p256))
        let explanation = try kit.verifier().explain(Array(jws.utf8), at: now)
        #expect(!explanation.isGood)
        #expect(explanation.reason == .signature)
        #expect(explanation.payload == nil)
        let outcomes = Dictionary(uniqueKeysWithValues: explanation.steps.map { ($0.step, $0.outcome) })
        #expect(outcomes[.body] == .skipped)
        #expect(outcomes[.intermediateMarker] == .passed)
        #expect(outcomes[.signature] == .failed)
        #expect(outcomes[.validity] == .notReached)
        #expect(outcomes[.profile] == .notReached)
        #expect(explanation.steps.first { $0.outcome == .failed }?.detail.hasPrefix("signature: ") == true)
    }

    @Test func `a nonconforming notification fails at its profile`() throws {
        let kit = try SigningKit.shared()
        let explanation = try kit.verifier().explain(kit.body(.with { $0.outer["version"] = nil }), at: now)
        #expect(explanation.steps.last?.outcome == .failed)
        #expect(explanation.reason == .profileVersion)
    }

    @Test func `bare objects of the other types are also explained`() throws {
        let kit = try SigningKit.shared()
        let verifier = try kit.verifier()
        let draft = NotificationDraft()
        let texts: [(Explanation.Kind, String?)] = [
            (.transaction, draft.transaction?.text), (.renewalInfo, draft.renewalInfo?.text),
            (.appTransaction, NotificationDraft.appData.appTransaction?.text),
        ]
        for (kind, text) in texts {
            let payload = try #require(text)
            let explanation = verifier.explain(Array(try kit.sign(payload).utf8), at: now)
            #expect(explanation.kind == kind)
            #expect(explanation.isGood, "\(kind)")
            #expect(explanation.verdict == nil)
            #expect(explanation.payload == Array(payload.utf8))
        }
    }

    @Test func `a bare transaction of another app fails at the audience step`() throws {
        let kit = try SigningKit.shared()
        var transaction = try #require(NotificationDraft().transaction)
        transaction["bundleId"] = "\"com.example.other\""
        let explanation = try kit.verifier().explain(Array(kit.sign(transaction.text).utf8), at: now)
        #expect(explanation.reason == .audience)
        #expect(explanation.steps.first { $0.step == .audience }?.outcome == .failed)
    }

    @Test(arguments: ["", "hello", "{}", "a.b.c", "{\"notification_type\":\"DID_RENEW\"}", "[1]"])
    func `unrecognized text is explained as unknown`(_ text: String) throws {
        let explanation = try SigningKit.shared().verifier().explain(Array(text.utf8), at: now)
        #expect(!explanation.isGood)
        #expect(explanation.kind == .unknown)
        #expect(explanation.certificates.isEmpty)
    }
}
