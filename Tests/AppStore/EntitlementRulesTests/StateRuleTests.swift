import AppStoreModel
import EntitlementRules
import JSON
import Testing

/// Notifications, and the rule that determines the state at a given time. Days count from the purchase of a month.
/// Source: app-store.md 11.3, row by row, and 11.6.
struct RuleCase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let told: [Notification]
    let moment: Double
    let rule: StateRule

    init(_ description: String, _ told: [Notification], _ moment: Double, _ rule: StateRule) {
        testDescription = description
        self.told = told
        self.moment = moment
        self.rule = rule
    }

    private typealias Case = AccessCase

    private static let off = Case.told(
        .didChangeRenewalStatus, .autoRenewDisabled, on: 5, .active, Case.first, renewal(0))
    private static let failed = Case.told(.didFailToRenew, on: 30, .billingRetry, Case.first, Case.retrying)

    static let subscriptions: [RuleCase] = [
        .init(
            "row 1: a revoked transaction",
            [Case.bought, Case.told(.refund, on: 3, .revoked, Case.first.with("revocationDate", date: 2 * day))], 4,
            .transactionRevoked),
        .init(
            "row 1: a status without a revocation", [Case.bought, Case.told(.revoke, on: 3, .revoked)], 4,
            .statusRevoked),
        .init("row 2: a running period", [Case.bought], 29, .periodRunning),
        .init("row 3: grace with an end", [Case.bought, Case.failedInGrace], 31, .graceUntil),
        .init(
            "row 3: grace without an end",
            [
                Case.bought,
                Case.told(.didFailToRenew, .gracePeriod, on: 30, .billingGracePeriod, Case.first, renewal()),
            ],
            31, .graceWithoutEnd),
        .init("row 3b: a late renewal", [Case.bought], 30.1, .renewalAwaited),
        .init("row 4: billing retry", [Case.bought, failed], 31, .billingRetry),
        .init("row 4: grace is over", [Case.bought, Case.failedInGrace], 47, .billingRetry),
        .init(
            "row 5: active after the expiry",
            [Case.bought, off, Case.told(.priceIncrease, on: 31, .active, Case.first, renewal(0))], 31.01,
            .statusActive),
        .init(
            "row 5: active after the expiry, beyond the tolerance",
            [Case.bought, off, Case.told(.priceIncrease, on: 31, .active, Case.first, renewal(0))], 32,
            .statusActiveTooOld),
        .init("row 6: no renewal was received", [Case.bought], 31, .renewalMissing),
        .init("row 6: renewal was off", [Case.bought, off], 31, .renewalOff),
        .init("row 6: the retries are over", [Case.bought, failed], 91, .retryOver),
        .init(
            "row 6: Apple reported the expiry",
            [Case.bought, Case.told(.expired, on: 30, .expired, Case.first, renewal())], 30.01, .periodOver),
    ]
}

@Suite struct StateRuleTests {
    private func rules(_ notifications: [Notification], at moment: Double) throws -> [StateRule] {
        try purchase(notifications).standings(at: at(Int64(moment * 86_400_000)), rules: ProductRules())
            .standings.map(\.rule)
    }

    @Test(arguments: RuleCase.subscriptions)
    func `a subscription's state contains the table row that determined it`(_ example: RuleCase) throws {
        #expect(try rules(example.told, at: example.moment) == [example.rule])
    }

    private func transaction(_ type: String, _ further: JSONObject = [:]) -> Notification {
        var members: JSONObject = [
            "transactionId": "1", "originalTransactionId": "1", "productId": "thing", "type": .string(type),
            "quantity": 1,
        ]
        members = members.with("purchaseDate", date: 0)
        for member in further.members { members[member.name] = member.value }
        return Notification(.oneTimeCharge, signed: 0, transaction: members)
    }

    @Test func `a one-time purchase's state contains its rule`() throws {
        let revoked = JSONObject().with("revocationDate", date: day)
        #expect(try rules([transaction("Non-Consumable")], at: 2) == [.bought])
        #expect(try rules([transaction("Non-Consumable", revoked)], at: 2) == [.oneTimeRevoked])
        #expect(try rules([transaction("Consumable")], at: 2) == [.credited])
        #expect(try rules([transaction("Consumable", revoked)], at: 2) == [.debited])
        #expect(try rules([transaction("Non-Renewing Subscription")], at: 2) == [.lengthUnknown])
    }

    @Test func `a consumable with an amount out of range is explained as not credited, refunded or not`() throws {
        let refunded = JSONObject().with("revocationDate", date: day)
        #expect(try rules([transaction("Consumable", ["quantity": 0])], at: 2) == [.notCredited])
        #expect(try rules([transaction("Consumable", refunded.with("quantity", 0))], at: 2) == [.notCredited])
        let percentage = refunded.with("revocationPercentage", 100_001)
        #expect(try rules([transaction("Consumable", percentage)], at: 2) == [.notCredited])
        let products = ProductRules(products: [ProductId("thing"): ProductRule(entitlements: [], units: -1)])
        let purchase = try purchase([transaction("Consumable")])
        #expect(purchase.standings(at: at(day), rules: products).standings.map(\.rule) == [.notCredited])
    }

    @Test func `a state that ends without a notification has its end, and a consumable has its units`() throws {
        let active = try #require(
            purchase([AccessCase.bought]).standings(at: at(day), rules: ProductRules()).standings.first)
        #expect(active.entitlements == ["monthly"] && active.isEntitled && active.until == at(30 * day))
        #expect(active.rule.explanation(until: "E") == "the paid period runs until E")
        let coins = try #require(
            purchase([transaction("Consumable")]).standings(at: at(day), rules: ProductRules()).standings.first)
        #expect(coins.entitlements.isEmpty && coins.units == 1 && !coins.isEntitled)
    }

    @Test func `every rule has a unique explanation`() {
        let explanations = StateRule.allCases.map { $0.explanation(until: nil) }
        #expect(Set(explanations).count == StateRule.allCases.count)
    }
}
