import AppStoreModel
import EntitlementRules
import JSON
import Testing

/// A switch between a single subscription and a bundle. The new purchase identifies the one that it replaced. Sources:
/// Apple's `previousOriginalTransactionId` and `upgradedToBundle`.
@Suite("A switch to a bundle") struct BundleSwitchTests {
    private let token = AppAccountToken("7e3fb204-2d5b-4a5c-8f1e-0a1b2c3d4e5f")

    private func facts(_ notification: Notification) throws -> PurchaseFacts { try #require(try notification.facts()) }

    private var single: JSONObject {
        period("1", from: 0, to: 30 * day).with("appAccountToken", .string(token.rawValue))
    }

    private var bundled: Notification {
        let transaction = period("5", from: 10 * day, to: 40 * day).with("originalTransactionId", "5")
            .with("previousOriginalTransactionId", "1").with("bundleProductId", "suite")
        return Notification(
            .subscribed, .initialBuy, signed: 10 * day, status: .active, transaction: transaction,
            renewalInfo: renewal().with("originalTransactionId", "5"))
    }

    private func bought() throws -> PurchaseFacts {
        try facts(Notification(.subscribed, signed: 0, status: .active, transaction: single, renewalInfo: renewal()))
    }

    private func answer(_ purchases: [String: PurchaseFacts], at moment: Int64) -> EntitlementAnswer {
        EntitlementAnswer(
            purchases: purchases.values.filter { $0.appAccountToken == token }, environment: .production,
            at: at(moment), rules: ProductRules())
    }

    private var revoked: Notification {
        Notification(
            NotificationType("BUNDLED"), signed: 10 * day, status: .revoked,
            transaction: single.with("revocationDate", date: 10 * day).with("revocationReason", 2),
            renewalInfo: renewal(0))
    }

    @Test func `the account keeps the product through the new purchase`() throws {
        let told = [try bought(), try facts(revoked), try facts(bundled)]
        for order in [told, told.reversed(), [told[2], told[0], told[1]]] {
            let purchases = PurchaseMigrationTests.settled(order)
            #expect(answer(purchases, at: 9 * day).active == ["monthly"])
            #expect(answer(purchases, at: 11 * day).active == ["monthly"])
            #expect(purchases["5"]?.appAccountToken == token)
            #expect(purchases["1"]?.state(at: at(11 * day))?.phase == .revoked)
            #expect(purchases["5"]?.state(at: at(11 * day))?.phase == .active)
        }
    }

    @Test func `the replaced purchase ends through its own facts, not through the switch`() throws {
        for order in [[try bought(), try facts(bundled)], [try facts(bundled), try bought()]] {
            let purchases = PurchaseMigrationTests.settled(order)
            #expect(purchases["1"]?.state(at: at(29 * day))?.phase == .active)
            #expect(purchases["1"]?.state(at: at(29 * day))?.until == at(30 * day))
            #expect(purchases["1"]?.state(at: at(32 * day))?.phase == .expired)
        }
    }

    @Test func `a switch back returns the account to the first purchase`() throws {
        let back = Notification(
            .subscribed, .resubscribe, signed: 50 * day, status: .active,
            transaction: period("9", from: 50 * day, to: 80 * day).with("originalTransactionId", "9")
                .with("previousOriginalTransactionId", "5"),
            renewalInfo: renewal().with("originalTransactionId", "9"))
        let purchases = PurchaseMigrationTests.settled([try facts(back), try bought(), try facts(bundled)])
        #expect(purchases["9"]?.appAccountToken == token)
        #expect(answer(purchases, at: 51 * day).active == ["monthly"])
    }
}
