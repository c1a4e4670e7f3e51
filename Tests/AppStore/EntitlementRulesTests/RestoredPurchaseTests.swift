import AppStoreModel
import EntitlementRules
import JSON
import Testing

/// A non-consumable bought once and restored on other devices, so one purchase has several transactions. Sources:
/// Apple's `originalTransactionId` and `transactionId`, and developer.apple.com/forums/thread/736020.
@Suite("A restored non-consumable") struct RestoredPurchaseTests {
    private func transaction(_ id: String, at date: Int64) -> JSONObject {
        let base: JSONObject = [
            "transactionId": .string(id), "originalTransactionId": "1", "productId": "lifetime",
            "type": "Non-Consumable", "quantity": 1,
        ]
        return base.with("purchaseDate", date: date).with("originalPurchaseDate", date: 0)
    }

    private var bought: Notification { Notification(.oneTimeCharge, signed: 0, transaction: transaction("1", at: 0)) }
    private func restored(signed: Int64) -> Notification {
        Notification(NotificationType("UPLOAD"), signed: signed, transaction: transaction("777", at: day))
    }
    private func refund(of id: String, signed: Int64) -> Notification {
        Notification(
            .refund, signed: signed,
            transaction: transaction(id, at: id == "1" ? 0 : day).with("revocationDate", date: signed - hour))
    }

    private func answer(_ notifications: [Notification], at moment: Int64) throws -> EntitlementAnswer {
        EntitlementAnswer(
            purchases: [try purchase(notifications)], environment: .production, at: at(moment), rules: ProductRules())
    }

    @Test func `is owned once`() throws {
        let answer = try answer([bought, restored(signed: day)], at: 2 * day)
        #expect(answer.grants.map(\.state) == ["OWNED"])
        #expect(answer.active == ["lifetime"])
    }

    @Test(arguments: ["1", "777"])
    func `is not owned after either transaction is refunded, in every order`(id: String) throws {
        let told = [bought, restored(signed: day), refund(of: id, signed: 3 * day)]
        for order in [told, told.reversed(), [told[1], told[2], told[0]], told + told] {
            let answer = try answer(order, at: 4 * day)
            #expect(answer.active.isEmpty)
            #expect(answer.grants.map(\.state) == ["REVOKED"])
            let before = try self.answer(order, at: 2 * day)
            #expect(before.active == ["lifetime"] && before.nextChange == at(3 * day - hour))
        }
    }

    @Test func `a copy signed before the refund and uploaded after it grants nothing`() throws {
        #expect(
            try answer([bought, refund(of: "1", signed: 3 * day), restored(signed: 2 * day)], at: 4 * day).active == [])
    }

    @Test func `a statement that Apple signed after the refund restores it`() throws {
        let told = [bought, refund(of: "1", signed: 3 * day), restored(signed: 5 * day)]
        for order in [told, told.reversed()] {
            let answer = try answer(order, at: 6 * day)
            #expect(answer.active == ["lifetime"])
            #expect(answer.grants.map(\.state) == ["OWNED"])
        }
    }

    @Test func `is answered for a time in the past as of that time`() throws {
        let purchase = try purchase([bought, restored(signed: day), refund(of: "1", signed: 3 * day)])
        func active(_ moment: Int64) -> Set<String> {
            EntitlementAnswer(
                purchases: [purchase], environment: .production, at: at(moment), rules: ProductRules(), view: .history
            ).active
        }
        #expect(active(2 * day) == ["lifetime"])
        #expect(active(3 * day - 1) == ["lifetime"])
        #expect(active(3 * day).isEmpty)
    }

    @Test func `is answered as revoked for a time between the refund and its reversal`() throws {
        let purchase = try purchase([bought, refund(of: "1", signed: 3 * day), restored(signed: 5 * day)])
        let answer = EntitlementAnswer(
            purchases: [purchase], environment: .production, at: at(4 * day), rules: ProductRules(), view: .history)
        #expect(answer.grants.map(\.state) == ["REVOKED"])
    }

    @Test func `each transaction of a non-renewing subscription is a separate purchase`() throws {
        let rules = ProductRules(products: [
            ProductId("lifetime"): ProductRule(entitlements: ["season"], lengthDays: 30, accumulation: .overlap)
        ])
        let passes = ["1", "2"].map { id in
            Notification(
                .oneTimeCharge, signed: 0, uuid: id,
                transaction: transaction(id, at: 0).with("type", "Non-Renewing Subscription"))
        }
        let answer = EntitlementAnswer(
            purchases: [try purchase(passes)], environment: .production, at: at(day), rules: rules)
        #expect(answer.grants.count == 2)
    }
}
