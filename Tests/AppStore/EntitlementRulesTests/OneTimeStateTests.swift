import AppStoreModel
import EntitlementRules
import JSON
import Testing

@Suite("One-time transactions") struct OneTimePurchaseTests {
    private func transaction(_ type: String, _ id: String = "1", product: String = "thing", at date: Int64 = 0)
        -> JSONObject
    {
        let base: JSONObject = [
            "transactionId": .string(id), "originalTransactionId": .string(id), "productId": .string(product),
        ]
        return base.with("type", .string(type)).with("quantity", 1).with("purchaseDate", date: date)
    }

    private func charge(_ transaction: JSONObject, signed: Int64 = 0) -> Notification {
        Notification(.oneTimeCharge, signed: signed, transaction: transaction)
    }

    private func answer(
        _ notifications: [Notification], at instant: Int64, rule: ProductRule = ProductRule(entitlements: ["right"]),
        view: EntitlementAnswer.View = .newestFacts
    ) throws -> EntitlementAnswer {
        var purchases: [OriginalTransactionId: PurchaseFacts] = [:]
        for facts in try notifications.compactMap({ try $0.facts() }) {
            if purchases[facts.originalTransactionId]?.merge(facts) == nil {
                purchases[facts.originalTransactionId] = facts
            }
        }
        return EntitlementAnswer(
            purchases: Array(purchases.values), environment: .production, at: at(instant),
            rules: ProductRules(products: [ProductId("thing"): rule]), view: view)
    }

    // MARK: Consumables

    @Test(
        arguments: [
            (nil, 0, 0), (100_000, 3000, 0), (0, 0, 1), (33_333, 1000, 1), (50_000, 1500, 1), (67_932, 2038, 1),
            (1, 0, 1),
        ] as [(Int64?, Int64, Int)])
    func `a refund debits its percentage to the nearest unit`(percentage: Int64?, debit: Int64, partly: Int) throws {
        var transaction = transaction("Consumable").with("quantity", 3)
        if let percentage {
            transaction = transaction.with("revocationDate", date: day).with(
                "revocationPercentage", .integer(percentage))
        }
        let answer = try answer([charge(transaction)], at: 2 * day, rule: ProductRule(entitlements: [], units: 1000))
        #expect(answer.balances.map(\.creditedUnits) == [3000])
        #expect(answer.balances.map(\.debitedUnits) == [debit])
        #expect(answer.balances.map(\.netUnits) == [3000 - debit])
        #expect(answer.grants.isEmpty && answer.reports.isEmpty)
    }

    @Test func `a refund without a percentage debits everything`() throws {
        let transaction = transaction("Consumable").with("revocationDate", date: day)
        let rule = ProductRule(entitlements: [], units: 7)
        #expect(try answer([charge(transaction)], at: 2 * day, rule: rule).balances.map(\.netUnits) == [0])
        #expect(try answer([charge(transaction)], at: 0, rule: rule).balances.map(\.netUnits) == [7])
        #expect(try answer([charge(transaction)], at: 0, rule: rule).nextChange == at(day))
    }

    @Test func `a refund that arrives before the charge leaves no credit, and a reversal restores it`() throws {
        let plain = transaction("Consumable")
        let charged = charge(plain)
        let refund = Notification(.refund, signed: day, transaction: plain.with("revocationDate", date: day))
        let reversed = Notification(.refundReversed, signed: 2 * day, transaction: plain)
        #expect(try answer([refund, charged], at: 3 * day).balances.map(\.netUnits) == [0])
        #expect(try answer([charged, refund, charged], at: 3 * day).balances.map(\.netUnits) == [0])
        #expect(try answer([refund, reversed, charged], at: 3 * day).balances.map(\.netUnits) == [1])
    }

    @Test func `a credit is counted once, regardless of how often it is reported`() throws {
        let one = charge(transaction("Consumable", "1"))
        let other = charge(transaction("Consumable", "2"), signed: 5)
        let answer = try answer([one, one, other, one], at: day, rule: ProductRule(entitlements: [], units: 10))
        #expect(
            answer.balances == [
                UnitBalance(
                    environment: .production, bundleId: BundleId("com.example"), productId: ProductId("thing"),
                    creditedUnits: 20)
            ])
    }

    @Test(arguments: [
        ("quantity", JSONValue.integer(0), EntitlementProblem.quantityOutOfRange),
        ("quantity", -1, .quantityOutOfRange), ("quantity", 2_147_483_648, .quantityOutOfRange),
        ("quantity", "many", .quantityOutOfRange), ("revocationPercentage", 100_001, .percentageOutOfRange),
        ("revocationPercentage", -1, .percentageOutOfRange),
        ("revocationPercentage", 9_999_999_999, .percentageOutOfRange),
    ])
    func `amounts out of range yield no credit and are reported`(
        field: String, value: JSONValue, problem: EntitlementProblem
    ) throws {
        let answer = try answer([charge(transaction("Consumable").with(field, value))], at: day)
        #expect(answer.balances.map(\.creditedUnits) == [0])
        #expect(answer.reports.map(\.problem) == [problem])
    }

    @Test func `units that overflow yield no credit, and balances saturate`() throws {
        let many = charge(transaction("Consumable").with("quantity", 2_147_483_647))
        let answer = try answer([many], at: day, rule: ProductRule(entitlements: [], units: .max))
        #expect(answer.balances.map(\.creditedUnits) == [0])
        #expect(answer.reports.map(\.problem) == [.unitsOutOfRange])
        let two = [charge(transaction("Consumable", "1")), charge(transaction("Consumable", "2"))]
        let rule = ProductRule(entitlements: [], units: .max)
        #expect(try self.answer(two, at: day, rule: rule).balances.map(\.creditedUnits) == [.max])
        let all = transaction("Consumable").with("revocationDate", date: 0).with("revocationPercentage", 99_999)
        let debited = try self.answer([charge(all)], at: day, rule: rule).balances.map(\.debitedUnits)
        #expect(debited == [9_223_279_803_134_407_259])
    }

    // MARK: Non-consumables

    @Test func `a non-consumable is owned until it is revoked`() throws {
        let plain = transaction("Non-Consumable").with("inAppOwnershipType", "FAMILY_SHARED")
        let revoke = Notification(
            .revoke, signed: 5 * day,
            transaction: plain.with("revocationDate", date: 5 * day).with("revocationType", "FAMILY_REVOKE"))
        #expect(try answer([charge(plain)], at: 900 * day).active == ["right"])
        #expect(try answer([charge(plain)], at: day).grants.map(\.ownership) == [.familyShared])
        let revoked = try answer([revoke, charge(plain)], at: 5 * day)
        #expect(revoked.active.isEmpty)
        #expect(revoked.grants.map(\.state) == ["REVOKED"])
        let reversed = Notification(.refundReversed, signed: 6 * day, transaction: plain)
        #expect(try answer([revoke, reversed], at: 7 * day).grants.map(\.state) == ["OWNED"])
    }

    // MARK: Non-renewing subscriptions

    @Test func `a non-renewing subscription lasts for its configured length`() throws {
        let rule = ProductRule(entitlements: ["right"], lengthDays: 30)
        let bought = charge(transaction("Non-Renewing Subscription"))
        let answer = try answer([bought], at: 29 * day, rule: rule)
        #expect(answer.active == ["right"] && answer.nextChange == at(30 * day))
        #expect(try self.answer([bought], at: 30 * day, rule: rule).grants.map(\.state) == ["ENDED"])
    }

    @Test func `several transactions extend each other or overlap`() throws {
        let both = [
            charge(transaction("Non-Renewing Subscription", "1")),
            charge(transaction("Non-Renewing Subscription", "2", at: 10 * day)),
            charge(transaction("Non-Renewing Subscription", "3", at: 100 * day)),
        ]
        var rule = ProductRule(entitlements: ["right"], lengthDays: 30)
        #expect(try answer(both, at: 59 * day, rule: rule).active == ["right"])
        #expect(try answer(both, at: 60 * day, rule: rule).active.isEmpty)
        #expect(try answer(both, at: 129 * day, rule: rule).active == ["right"])
        rule.accumulation = .overlap
        #expect(try answer(both, at: 39 * day, rule: rule).active == ["right"])
        #expect(try answer(both, at: 40 * day, rule: rule).active.isEmpty)
    }

    @Test func `access through consecutive passes ends with the last one`() throws {
        let both = [
            charge(transaction("Non-Renewing Subscription", "1")),
            charge(transaction("Non-Renewing Subscription", "2", at: 10 * day)),
            charge(transaction("Non-Renewing Subscription", "3", at: 100 * day)),
        ]
        func held(_ told: [Notification], _ rule: ProductRule) throws -> EntitlementAnswer {
            try answer(told, at: 20 * day, rule: rule)
        }
        var rule = ProductRule(entitlements: ["right"], lengthDays: 30)
        let extended = try held(both, rule)
        #expect(extended.grants.filter(\.isEntitled).map(\.until) == [at(60 * day)])
        #expect(extended.nextChange == at(30 * day))
        rule.accumulation = .overlap
        #expect(try held(both, rule).grants.filter(\.isEntitled).map(\.until) == [at(40 * day), at(40 * day)])
        let refunded = charge(
            transaction("Non-Renewing Subscription", "2", at: 10 * day).with("revocationDate", date: 15 * day))
        #expect(try held([both[0], refunded], rule).grants.filter(\.isEntitled).map(\.until) == [at(30 * day)])
    }

    @Test func `a refunded transaction does not extend access`() throws {
        let refunded = charge(transaction("Non-Renewing Subscription", "1").with("revocationDate", date: 5 * day))
        let next = charge(transaction("Non-Renewing Subscription", "2", at: 10 * day))
        let rule = ProductRule(entitlements: ["right"], lengthDays: 30)
        #expect(try answer([refunded, next], at: 39 * day, rule: rule).active == ["right"])
        #expect(try answer([refunded, next], at: 40 * day, rule: rule).active.isEmpty)
    }

    @Test(arguments: [nil, 0, -5, .max] as [Int64?])
    func `a pass without a usable length grants nothing and is reported`(days: Int64?) throws {
        let bought = charge(transaction("Non-Renewing Subscription"))
        let answer = try answer([bought], at: 1, rule: ProductRule(entitlements: ["right"], lengthDays: days))
        #expect(answer.active.isEmpty)
        #expect(answer.reports.map(\.problem) == [.lengthNotConfigured])
    }

    // MARK: Answers

    @Test func `an unknown type and a missing product grant nothing and are reported`() throws {
        let unknown = charge(transaction("Lottery Ticket", "1"))
        var nameless = transaction("Non-Consumable", "2")
        nameless["productId"] = nil
        let answer = try answer([unknown, charge(nameless)], at: day)
        #expect(answer.active.isEmpty)
        #expect(Set(answer.reports.map(\.problem)) == [.unknownProductType, .productMissing])
    }

    @Test func `an answer is the union of the purchases in its environment`() throws {
        let subscription = try purchase(
            Notification(
                .subscribed, signed: 0, status: .active, transaction: period("1", from: 0, to: 30 * day),
                renewalInfo: renewal()))
        let owned = try #require(try charge(transaction("Non-Consumable", "9")).facts())
        let rules = ProductRules(products: [ProductId("thing"): ProductRule(entitlements: ["right", "monthly"])])
        let answer = EntitlementAnswer(
            purchases: [owned, subscription], environment: .production, at: at(day), rules: rules)
        #expect(answer.active == ["monthly", "right"])
        #expect(
            answer.grants.map { "\($0.entitlement) \($0.state)" } == ["monthly ACTIVE", "monthly OWNED", "right OWNED"])
        #expect(answer.nextChange == at(30 * day))
        let sandbox = EntitlementAnswer(
            purchases: [owned, subscription], environment: .sandbox, at: at(day), rules: rules)
        #expect(sandbox.grants.isEmpty)
    }

    @Test func `history omits later purchases`() throws {
        let later = charge(transaction("Non-Consumable", at: 5 * day))
        #expect(try answer([later], at: day, view: .history).grants.isEmpty)
        #expect(try answer([later], at: 5 * day, view: .history).active == ["right"])
    }

    @Test func `Advanced Commerce items are revoked one by one`() throws {
        let commerce: JSONValue = [
            "items": [["SKU": "a"], ["SKU": "b", "revocationDate": .integer(at(5 * day).millisecondsSince1970)]]
        ]
        let purchase = try purchase(
            Notification(
                .subscribed, signed: 0, status: .active,
                transaction: period("1", from: 0, to: 30 * day).with("advancedCommerceInfo", commerce)))
        func skus(_ instant: Int64) -> [[String]?] {
            EntitlementAnswer(
                purchases: [purchase], environment: .production, at: at(instant), rules: ProductRules()
            ).grants.map(\.skus)
        }
        #expect(skus(day) == [["a", "b"]])
        #expect(skus(5 * day) == [["a"]])
        #expect(purchase.nextChange(after: at(day)) == at(5 * day))
    }
}
