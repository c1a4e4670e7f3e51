import AppStoreModel
import EntitlementRules
import JSON
import LegacyNotifications
import Testing

/// Entitlements that consumers derive from the payloads.
@Suite("Entitlements from unsigned notifications") struct LegacyEntitlementTests {
    private func purchase(_ drafts: [LegacyDraft]) throws -> PurchaseFacts {
        var purchase = PurchaseFacts(
            environment: .production, bundleId: app, originalTransactionId: OriginalTransactionId("100"))
        for draft in drafts {
            let notification = try draft.read()
            let facts = PurchaseFacts(
                notification: try notification.payload, transaction: try notification.transactionPayload,
                renewalInfo: try notification.renewalPayload, isSigned: false)
            purchase.merge(try #require(facts))
        }
        return purchase
    }

    /// Returns `ACTIVE product` for each grant.
    private func state(_ drafts: [LegacyDraft], at milliseconds: Int64) throws -> [String] {
        EntitlementAnswer(
            purchases: [try purchase(drafts)], environment: .production, at: at(milliseconds),
            rules: ProductRules(legacyTrust: LegacyTrustRules(others: .accept))
        ).grants.map { "\($0.state) \($0.productId)" }
    }

    private static let bought = LegacyDraft("INITIAL_BUY", [transaction("100")], [renewal()])
    private static let upgraded: [JSONObject] = [
        transaction("101", yearly, bought: 5 * day, expires: 370 * day),
        transaction("100", with: ["is_upgraded": "true", "cancellation_date_ms": text(at: 5 * day + minute)]),
    ]

    @Test func `a purchase, its end and a resubscription follow from the receipts`() throws {
        let resubscribed = LegacyDraft(
            "INTERACTIVE_RENEWAL", [transaction("101", yearly, bought: 40 * day, expires: 400 * day)],
            [renewal("1", yearly)])
        #expect(try state([Self.bought], at: day) == ["ACTIVE \(monthly)"])
        #expect(try state([Self.bought], at: 35 * day) == ["EXPIRED \(monthly)"])
        #expect(try state([Self.bought, resubscribed], at: 41 * day) == ["ACTIVE \(yearly)"])
    }

    @Test func `a refund by Apple Support ends access`() throws {
        let cancelled = LegacyDraft(
            "CANCEL", [transaction("100", with: ["cancellation_date_ms": text(at: 5 * day)])], [renewal("0")])
        #expect(try state([Self.bought, cancelled], at: 6 * day) == ["REVOKED \(monthly)"])
    }

    @Test func `an upgrade reported by the new and by the replaced transaction grants the new one`() throws {
        let interactive = LegacyDraft("INTERACTIVE_RENEWAL", Self.upgraded, [renewal("1", yearly)])
        // A later notification about the replaced transaction, which must not end its replacement.
        let cancel = LegacyDraft("CANCEL", Self.upgraded, [renewal("1", yearly)])
        for drafts in [[Self.bought, interactive, cancel], [cancel, interactive, Self.bought]] {
            #expect(try state(drafts, at: 6 * day) == ["ACTIVE \(yearly)"])
        }
    }

    @Test func `an unresolved notification adds no facts`() throws {
        let notification = try LegacyDraft("DID_RENEW", []).read()
        #expect(
            PurchaseFacts(
                notification: try notification.payload, transaction: try notification.transactionPayload,
                renewalInfo: try notification.renewalPayload, isSigned: false) == nil)
    }
}
