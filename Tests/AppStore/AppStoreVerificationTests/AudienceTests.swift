import AppStoreModel
import AppStoreSigning
import AppStoreTestSupport
import Cryptography
import Testing

@testable import AppStoreVerification

/// Check 13: rows H-99 to H-104.
@Suite struct AudienceTests {
    @Test(arguments: HostileNotification.audiences)
    func `only notifications for configured apps are accepted`(_ row: HostileNotification) throws {
        try row.check()
    }

    @Test func `a refusal contains the app from the signed payload`() throws {
        let kit = try SigningKit.shared()
        let body = try kit.body(.with { $0.identity["bundleId"] = "\"com.example.other\"" })
        guard case .notForUs(let refusal) = try kit.verifier().verify(body: body, at: SigningKit.now) else {
            Issue.record("not refused")
            return
        }
        #expect(refusal.bundleId == "com.example.other")
        #expect(refusal.step == .audience)
        #expect(refusal.status == 403)
    }

    @Test func `a Production notification for a sandbox-only app is rejected`() throws {
        let kit = try SigningKit.shared()
        let verifier = try kit.verifier { configuration in
            configuration.apps = [
                AppIdentity(
                    bundleId: BundleId(SigningKit.bundleId), appAppleId: AppAppleId(SigningKit.appAppleId),
                    environments: [.sandbox])
            ]
        }
        #expect(ExpectedVerdict(verifier.verify(body: try kit.body(), at: SigningKit.now)) == .notForUs(.audience))
        #expect(ExpectedVerdict(verifier.verify(body: try kit.body(.sandbox), at: SigningKit.now)) == .accepted)
    }

    @Test func `a bundleId with equal text but different bytes is another app`() throws {
        let kit = try SigningKit.shared()
        let verifier = try kit.verifier { configuration in
            configuration.apps = [
                AppIdentity(bundleId: BundleId("com.example.Kit"), appAppleId: AppAppleId(SigningKit.appAppleId))
            ]
        }
        // KELVIN SIGN
        let body = try kit.body(.with { $0.identity["bundleId"] = "\"com.example.\u{212A}it\"" })
        #expect(ExpectedVerdict(verifier.verify(body: body, at: SigningKit.now)) == .notForUs(.audience))
    }

    @Test(arguments: [NotificationDraft(), .appData])
    func `a nested bundleId with equal text but different bytes is another app`(_ draft: NotificationDraft) throws {
        let kit = try SigningKit.shared()
        let verifier = try kit.verifier { configuration in
            configuration.apps = [
                AppIdentity(bundleId: BundleId("com.example.Kit"), appAppleId: AppAppleId(SigningKit.appAppleId))
            ]
        }
        var draft = draft
        draft.identity["bundleId"] = "\"com.example.Kit\""
        for (bundleId, expected) in [("Kit", ExpectedVerdict.accepted), ("\u{212A}it", .nonconforming(.profileNested))]
        {
            draft.transaction?["bundleId"] = "\"com.example.\(bundleId)\""
            draft.appTransaction?["bundleId"] = "\"com.example.\(bundleId)\""
            let body = try kit.body(draft)
            #expect(ExpectedVerdict(verifier.verify(body: body, at: SigningKit.now)) == expected)
        }
    }

    @Test func `a notification for our app is never rejected because of its environment`() throws {
        let kit = try SigningKit.shared()
        for environment in ["\"Preview\"", "null", "[]", "\"\(String(repeating: "x", count: 300))\""] {
            let body = try kit.body(.with { $0.identity["environment"] = environment })
            guard case .nonconforming(let kept) = try kit.verifier().verify(body: body, at: SigningKit.now) else {
                Issue.record("not kept: \(environment)")
                continue
            }
            #expect(kept.reason == .profileAudience)
            #expect(kept.bundleId == SigningKit.bundleId)
            #expect(kept.signedPartDigest?.count == 32)
        }
    }

    @Test func `a signature from the future indicates a wrong clock and identifies the notification`() throws {
        let kit = try SigningKit.shared()
        let body = try kit.body(.with { $0.outer["signedDate"] = "\(SigningKit.now + 25 * 3_600_000)" })
        guard case .retryLater(let refusal) = try kit.verifier().verify(body: body, at: SigningKit.now) else {
            Issue.record("not refused")
            return
        }
        #expect(refusal.reason == .clock)
        #expect(refusal.status == 503)
        #expect(refusal.signedPartDigest?.count == 32)
    }

    @Test func `a notification contains exactly the signed bytes`() throws {
        let kit = try SigningKit.shared()
        let draft = NotificationDraft()
        let payload = try draft.payload(signingNestedWith: kit.sign)
        let jws = try kit.sign(payload)
        let verdict = try kit.verifier().verify(body: SigningKit.body(jws), at: SigningKit.now)
        guard case .accepted(let notification) = verdict else {
            Issue.record("not accepted: \(verdict)")
            return
        }
        #expect(notification.signedPayload == Array(jws.utf8))
        #expect(notification.notification == Array(payload.utf8))
        #expect(notification.transaction == draft.transaction.map { Array($0.text.utf8) })
        #expect(notification.renewalInfo == draft.renewalInfo.map { Array($0.text.utf8) })
        #expect(notification.appTransaction == nil)
        #expect(notification.reason == nil)
        #expect(notification.envelope.notificationType.value == .didRenew)
        #expect(notification.transactionEnvelope?.originalTransactionId.value?.rawValue == "2000001024993299")
        #expect(notification.certificates.leaf == kit.pki.leaf.serialNumber)
    }
}
