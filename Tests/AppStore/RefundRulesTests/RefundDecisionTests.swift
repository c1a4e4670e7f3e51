import AppStoreModel
import Testing

@testable import RefundRules

@Suite struct RefundDecisionTests {
    private func applies(
        _ conditions: String, to facts: RefundFacts = .consumable(), _ consumption: ConsumptionFacts? = nil
    ) throws -> Bool {
        try rules(when: conditions).decide(facts, consumption).rule == "one"
    }

    @Test(arguments: [
        (#""product":["com.example.coins.100"]"#, true), (#""product":["com.example.coins"]"#, false),
        (#""product":["com.example.coins.*"]"#, true), (#""product":["*"]"#, true),
        (#""product":["com.example.pro.*","com.example.coins.100"]"#, true),
        (#""product":["com.example.pro.*"]"#, false),
        (#""product":["COM.example.*"]"#, false),
        (#""productType":["Consumable"]"#, true), (#""productType":["Non-Consumable"]"#, false),
        (#""price":{"currency":"EUR","from":"4.99"}"#, true), (#""price":{"currency":"EUR","to":"4.99"}"#, false),
        (#""price":{"currency":"EUR","from":"4.991"}"#, false), (#""price":{"currency":"EUR","to":"4.991"}"#, true),
        (#""price":{"currency":"USD","from":"0"}"#, false),
        (#""reason":["UNINTENDED_PURCHASE","LEGAL"]"#, true), (#""reason":["LEGAL"]"#, false),
        (#""age":{"from":"10d"}"#, true), (#""age":{"to":"10d"}"#, false), (#""age":{"from":"1h","to":"241h"}"#, true),
        (#""age":{"from":"864000001ms"}"#, false),
        (#""environment":["Production"]"#, true), (#""environment":["Sandbox"]"#, false),
        (#""bundleId":["com.example.app"]"#, true), (#""bundleId":["com.example.other"]"#, false),
        ("", true),
    ])
    func `a condition is evaluated on Apple's signed facts, from inclusive to exclusive`(
        conditions: String, holds: Bool
    ) throws {
        #expect(try applies(conditions) == holds)
    }

    @Test(arguments: [(0, false), (1, true), (2, true), (3, false)] as [(Int64, Bool)])
    func `earlier refunds are counted`(count: Int64, holds: Bool) throws {
        let facts = RefundFacts.consumable { $0.earlierRefunds = count }
        #expect(try applies(#""earlierRefunds":{"from":1,"to":3}"#, to: facts) == holds)
    }

    @Test(
        arguments: [(0, false), (49_999, false), (50_000, true), (99_999, true), (100_000, false)] as [(Int64, Bool)])
    func `the consumption is taken from the company's service`(percentage: Int64, holds: Bool) throws {
        let consumption = ConsumptionFacts.consented { $0.consumptionPercentage = percentage }
        #expect(
            try applies(#""consumptionPercentage":{"from":"50%","to":"100%"}"#, to: .consumable(), consumption) == holds
        )
    }

    @Test func `consumption that the file states for all cases also applies to conditions`() throws {
        let rules = try rules(
            """
            {"default":"decline","consumption":{"consumptionPercentage":0},
             "rules":[{"name":"unused","when":{"consumptionPercentage":{"to":"1%"}},"outcome":"grantFull"}]}
            """)
        #expect(rules.decide(.consumable(), nil).outcome == .grantFull)
        let used = ConsumptionFacts.consented { $0.consumptionPercentage = 70_000 }
        #expect(rules.decide(.consumable(), used).outcome == .decline)
    }

    @Test(arguments: [
        #""product":["*"]"#, #""productType":["Consumable"]"#, #""price":{"currency":"EUR","from":"0"}"#,
        #""reason":["OTHER","UNINTENDED_PURCHASE"]"#, #""age":{"from":"0s"}"#, #""earlierRefunds":{"from":0}"#,
        #""consumptionPercentage":{"from":"0%"}"#,
    ])
    func `no condition matches an unknown fact, regardless of its bounds`(condition: String) throws {
        let unknown = RefundFacts(
            environment: .production, bundleId: BundleId("com.example.app"), transactionId: TransactionId("1"),
            requestedAt: .requested)
        #expect(try !applies(condition, to: unknown))
    }

    @Test func `a price without a currency is unknown`() throws {
        let facts = RefundFacts.consumable { $0.currency = nil }
        #expect(try !applies(#""price":{"currency":"EUR","from":"0"}"#, to: facts))
    }

    @Test func `a purchase dated after the request has an age of zero`() throws {
        let facts = RefundFacts.consumable { $0.purchaseDate = AppStoreInstant.requested.earlier(days: -1) }
        #expect(try applies(#""age":{"to":"1ms"}"#, to: facts))
    }

    @Test func `all conditions must match, and each alone can prevent the rule`() throws {
        let conditions = [
            #""product":["com.example.coins.*"]"#, #""productType":["Consumable"]"#, #""age":{"to":"14d"}"#,
            #""environment":["Production"]"#,
        ]
        let all = conditions.joined(separator: ",")
        #expect(try applies(all))
        #expect(try !applies(all, to: .consumable { $0.productId = ProductId("com.example.pro") }))
        #expect(try !applies(all, to: .consumable { $0.productType = .nonConsumable }))
        #expect(try !applies(all, to: .consumable { $0.purchaseDate = AppStoreInstant.requested.earlier(days: 20) }))
        #expect(try !applies(all, to: .consumable { $0.environment = .sandbox }))
    }

    // MARK: Decisions

    private static let ordered = """
        {"default":"noPreference",
         "consumption":{"deliveryStatus":"DELIVERED","sampleContentProvided":true,"customerConsented":false},
         "rules":[
          {"name":"coins","when":{"product":["com.example.coins.*"]},"outcome":"decline",
           "consumption":{"customerConsented":true,"consumptionPercentage":100000}},
          {"name":"consumables","when":{"productType":["Consumable"]},"outcome":"grantFull"}]}
        """

    @Test func `the first matching rule decides`() throws {
        let rules = try rules(Self.ordered)
        let decision = rules.decide(.consumable(), nil)
        #expect(decision.rule == "coins")
        #expect(decision.outcome == .decline)
        #expect(decision.source == .rule)
        let later = rules.decide(.consumable { $0.productId = ProductId("com.example.gems") }, nil)
        #expect(later.rule == "consumables")
        #expect(later.outcome == .grantFull)
        #expect(rules.names == ["coins", "consumables"])
    }

    @Test func `if no rule matches, the default decides`() throws {
        let decision = try rules(Self.ordered).decide(.subscription(), nil)
        #expect(decision.rule == nil)
        #expect(decision.outcome == .noPreference)
        #expect(decision.source == .fallback)
    }

    @Test func `the company takes precedence over the rule, and the rule over the file, for each member`()
        throws
    {
        let rules = try rules(Self.ordered)
        let alone = rules.decide(.consumable(), nil).consumption
        #expect(alone.customerConsented == true)
        #expect(alone.consumptionPercentage == 100_000)
        #expect(alone.deliveryStatus == .delivered)
        #expect(rules.decide(.subscription(), nil).consumption.customerConsented == false)

        var company = ConsumptionFacts()
        company.customerConsented = false
        company.deliveryStatus = .undeliveredOther
        let merged = rules.decide(.consumable(), company).consumption
        #expect(merged.customerConsented == false)
        #expect(merged.deliveryStatus == .undeliveredOther)
        #expect(merged.consumptionPercentage == 100_000)
        #expect(merged.sampleContentProvided == true)
    }

    @Test func `merging keeps every known member`() {
        let known = ConsumptionFacts.everything
        #expect(known.merging(nil) == known)
        #expect(known.merging(ConsumptionFacts()) == known)
        #expect(ConsumptionFacts().merging(known) == known)
    }

    @Test func `an outcome from the company's service prevails, and the rule's consumption is used`() throws {
        let company = ConsumptionFacts.consented { $0.outcome = .grantFull }
        let decision = try rules(Self.ordered).decide(.consumable(), company)
        #expect(decision.outcome == .grantFull)
        #expect(decision.source == .provider)
        #expect(decision.rule == "coins")
        #expect(decision.consumption.consumptionPercentage == 100_000)
    }

    @Test func `without a file there is no preference, and no consumption is known`() {
        let decision = RefundRules.none.decide(.consumable(), nil)
        #expect(decision.outcome == .noPreference)
        #expect(decision.consumption == ConsumptionFacts())
        #expect(RefundRules.none.decide(.consumable(), .consented()).consumption.customerConsented == true)
    }

    @Test func `a decision contains the fingerprint of its rules`() throws {
        let rules = try rules(Self.ordered)
        #expect(rules.decide(.consumable(), nil).rulesFingerprint == rules.fingerprint)
    }
}
