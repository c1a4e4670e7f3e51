import AppStoreSigning
import AppStoreTestSupport
import Cryptography
import Testing

@testable import AppStoreVerification

/// Check 14 for nested objects: row H-107.
@Suite struct NestedObjectTests {
    @Test(arguments: HostileNotification.nestedObjects)
    func `each nested object must be signed by Apple, of the right type and from the same purchase`(
        _ row: HostileNotification
    ) throws {
        try row.check()
    }

    @Test func `a subscription notification without renewal info is accepted and marked`() throws {
        let kit = try SigningKit.shared()
        func lacksRenewalInfo(_ draft: NotificationDraft) throws -> Bool? {
            guard case .accepted(let verified) = try kit.verifier().verify(body: kit.body(draft), at: SigningKit.now)
            else { return nil }
            return verified.lacksRenewalInfo
        }
        #expect(try lacksRenewalInfo(.with { _ in }) == false)
        #expect(try lacksRenewalInfo(.with { $0.renewalInfo = nil }) == true)
        #expect(
            try lacksRenewalInfo(
                .with {
                    $0.outer["notificationType"] = "\"ONE_TIME_CHARGE\""
                    $0.renewalInfo = nil
                }) == false)
    }

    @Test func `a nonconforming notification contains the verified fields`() throws {
        let kit = try SigningKit.shared()
        let draft = NotificationDraft.with { $0.transaction = nil }
        let body = try kit.body(draft)
        guard case .nonconforming(let nonconforming) = try kit.verifier().verify(body: body, at: SigningKit.now) else {
            Issue.record("not nonconforming")
            return
        }
        #expect(nonconforming.reason == .profileNested)
        #expect(nonconforming.detail == "signedTransactionInfo is absent")
        #expect(nonconforming.bundleId == SigningKit.bundleId)
        #expect(nonconforming.environment == "Production")
        #expect(nonconforming.notificationUUID.map { "\"\($0)\"" } == draft.outer["notificationUUID"])
        #expect(nonconforming.certificates?.intermediate == kit.pki.intermediate.serialNumber)
    }
}
