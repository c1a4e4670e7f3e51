import AppStoreModel
import EntitlementRules
import JSON
import Testing

/// Items of Advanced Commerce transactions. Sources: Apple's `advancedCommerceInfo`, with a `revocationDate` in its
/// items, and `revocationPercentage`, which is absent from these transactions.
@Suite("Items of Advanced Commerce") struct AdvancedCommerceItemTests {
    private func items(_ revoked: [String: Int64]) -> JSONValue {
        let items = ["a", "b"].map { sku in
            var item: JSONObject = ["SKU": .string(sku)]
            if let date = revoked[sku] {
                item["revocationDate"] = .integer(at(date).millisecondsSince1970)
                item["refunds"] = [["refundType": "FULL", "refundReason": "OTHER", "refundAmount": 990]]
            }
            return JSONValue.object(item)
        }
        return ["items": .array(items)]
    }

    private func subscription(_ revoked: [String: Int64]) throws -> PurchaseFacts {
        let transaction = period("1", from: 0, to: 30 * day, product: "generic")
        return try purchase(
            Notification(
                .subscribed, signed: 0, status: .active,
                transaction: transaction.with("advancedCommerceInfo", items([:]))),
            Notification(
                .refund, signed: 9 * day, status: .active,
                transaction: transaction.with("advancedCommerceInfo", items(revoked))))
    }

    private func json(_ purchase: PurchaseFacts, at moment: Int64) throws -> JSONObject {
        let answer = EntitlementAnswer(
            purchases: [purchase], environment: .production, at: at(moment), rules: ProductRules())
        var writer = JSONWriter()
        writer.object { answer.write(to: &$0) }
        return try #require(try JSONValue(json: writer.bytes).object)
    }

    @Test func `each item grants the entitlements of its SKU's rule until it is revoked`() throws {
        let rules = ProductRules(products: [
            ProductId("generic"): ProductRule(
                entitlements: ["anything"], skus: ["a": ["gold", "shared"], "b": ["basic", "shared"]])
        ])
        func answer(_ moment: Int64) throws -> EntitlementAnswer {
            EntitlementAnswer(
                purchases: [try subscription(["a": 9 * day])], environment: .production, at: at(moment), rules: rules)
        }
        #expect(try answer(8 * day).active == ["gold", "basic", "shared"])
        #expect(try answer(10 * day).active == ["basic", "shared"])
        let revoked = try #require(try answer(10 * day).grants.first { !$0.isEntitled })
        #expect(revoked.entitlement == "gold" && revoked.state == "REVOKED" && revoked.until == nil)
        #expect(revoked.details.revocationDate == at(9 * day))
        #expect(try answer(8 * day).nextChange == at(9 * day))
    }

    @Test func `an SKU without a rule grants the entitlements of the product`() throws {
        let rules = ProductRules(products: [
            ProductId("generic"): ProductRule(entitlements: ["anything"], skus: ["a": ["gold"]])
        ])
        let answer = EntitlementAnswer(
            purchases: [try subscription([:])], environment: .production, at: at(day), rules: rules)
        #expect(answer.active == ["gold", "anything"])
    }

    @Test func `without a rule, the product is owned while any item is`() throws {
        let one = try subscription(["a": 9 * day])
        #expect(try json(one, at: 10 * day)["active"] == ["generic"])
        let all = try subscription(["a": 9 * day, "b": 20 * day])
        #expect(try json(all, at: 10 * day)["active"] == ["generic"])
        #expect(try json(all, at: 21 * day)["active"] == [])
        #expect(try json(all, at: 10 * day)["nextChange"]?.integer == at(20 * day).millisecondsSince1970)
    }

    @Test func `the list of items is written only for purchases with items, and is empty if all are revoked`() throws {
        let all = try subscription(["a": 9 * day, "b": 9 * day])
        let row = try #require(try json(all, at: 10 * day)["inactive"]?.array?.first?.object)
        #expect(row["skus"] == [] && row["isEntitled"] == false && row["state"] == "REVOKED")
        let plain = try purchase(AccessCase.bought)
        let grant = try #require(try json(plain, at: day)["grants"]?.array?.first?.object)
        #expect(grant["skus"] == nil)
    }

    private func charge(_ type: String, _ revoked: [String: Int64], _ members: JSONObject = [:]) throws -> PurchaseFacts
    {
        var transaction: JSONObject = [
            "transactionId": "1", "originalTransactionId": "1", "productId": "generic", "quantity": 1,
            "type": .string(type), "advancedCommerceInfo": items(revoked),
        ]
        for member in members.members { transaction[member.name] = member.value }
        return try purchase(
            Notification(.refund, signed: 2 * day, transaction: transaction.with("purchaseDate", date: 0)))
    }

    @Test func `a non-consumable is owned while any item is`() throws {
        #expect(try json(charge("Non-Consumable", ["a": day]), at: 3 * day)["active"] == ["generic"])
        #expect(try json(charge("Non-Consumable", ["a": day, "b": day]), at: 3 * day)["active"] == [])
    }

    @Test func `a refund that revokes neither the transaction nor its items debits no units`() throws {
        func units(_ purchase: PurchaseFacts) throws -> JSONValue? {
            try json(purchase, at: 3 * day)["balances"]?.array?.first?.object?["netUnits"]
        }
        #expect(try units(charge("Consumable", [:])) == 1)
        #expect(try units(charge("Consumable", ["a": day])) == 1)
        #expect(try units(charge("Consumable", ["a": day, "b": day])) == 0)
        let revoked = JSONValue.integer(at(day).millisecondsSince1970)
        #expect(try units(charge("Consumable", [:], ["revocationDate": revoked])) == 0)
    }
}
