import AppStoreModel
import EntitlementRules
import JSON
import Testing

/// Family Sharing: each member has separate transactions. Sources: Apple, "Supporting Family Sharing in your app" and
/// `didRevokeEntitlements`.
@Suite("Family Sharing") struct FamilySharingTests {
    @Test func `when the purchaser stops sharing, the member loses access and the purchaser keeps it`() throws {
        let shared = period("7", from: day, to: 30 * day).with("originalTransactionId", "7")
            .with("inAppOwnershipType", "FAMILY_SHARED")
        let info = renewal().with("originalTransactionId", "7")
        let joined = Notification(
            .subscribed, .initialBuy, signed: day, status: .active, transaction: shared, renewalInfo: info)
        let revoked = Notification(
            .revoke, signed: 10 * day, status: .revoked,
            transaction: shared.with("revocationDate", date: 10 * day).with("revocationType", "FAMILY_REVOKE"),
            renewalInfo: info)
        let purchaser = try purchase(AccessCase.bought)
        for order in [[joined, revoked], [revoked, joined]] {
            var member = try #require(try order[0].facts())
            member.merge(try #require(try order[1].facts()))
            func active(_ purchase: PurchaseFacts, _ moment: Int64) -> Set<String> {
                EntitlementAnswer(
                    purchases: [purchase], environment: .production, at: at(moment), rules: ProductRules()
                ).active
            }
            #expect(active(purchaser, 11 * day) == ["monthly"])
            #expect(active(member, 9 * day) == ["monthly"])
            #expect(active(member, 10 * day).isEmpty)
            #expect(member.appAccountToken == nil)
        }
    }
}
