import AppStoreModel
import JSON
import Testing

@testable import EntitlementRules

/// Details of a grant other than access.
@Suite struct GrantDetailsTests {
    private func answer(
        _ purchases: [PurchaseFacts], at instant: Int64, view: EntitlementAnswer.View = .newestFacts
    ) throws -> JSONObject {
        let answer = EntitlementAnswer(
            purchases: purchases, environment: .production, at: at(instant), rules: ProductRules(), view: view)
        var writer = JSONWriter()
        writer.object { answer.write(to: &$0) }
        return try #require(try JSONValue(json: writer.bytes).object)
    }

    private func row(_ answer: JSONObject, of list: String = "grants") throws -> JSONObject {
        let rows = answer[list]?.array ?? []
        #expect(rows.count == 1)
        return try #require(rows.first?.object)
    }

    private let trial = period("10", from: 0, to: 7 * day)
        .with("originalPurchaseDate", date: 0).with("offerType", 1).with("offerDiscountType", "FREE_TRIAL")
        .with("offerIdentifier", "spring").with("price", 0).with("currency", "EUR")
        .with("inAppOwnershipType", "FAMILY_SHARED")

    @Test func `a grant contains its app, product, dates, offer, price and next product`() throws {
        let bought = Notification(
            .subscribed, signed: 0, status: .active, transaction: trial, renewalInfo: renewal(1, product: "yearly"))
        let grant = try row(answer([purchase(bought)], at: day))
        let expected: JSONObject = [
            "bundleId": "com.example", "environment": "Production", "inAppOwnershipType": "FAMILY_SHARED",
            "purchaseDate": .integer(at(0).millisecondsSince1970),
            "originalPurchaseDate": .integer(at(0).millisecondsSince1970),
            "expiresDate": .integer(at(7 * day).millisecondsSince1970),
            "until": .integer(at(7 * day).millisecondsSince1970), "offerType": 1, "offerIdentifier": "spring",
            "offerDiscountType": "FREE_TRIAL", "price": 0, "currency": "EUR", "autoRenewProductId": "yearly",
            "pendingProductId": "yearly",
        ]
        for member in expected.members { #expect(grant[member.name] == member.value, "\(member.name)") }
    }

    @Test func `ended and future periods are not grants and have no end of access`() throws {
        let failed = Notification(
            .didFailToRenew, .gracePeriod, signed: 7 * day, status: .billingGracePeriod, transaction: trial,
            renewalInfo: renewal().with("isInBillingRetryPeriod", true).with("gracePeriodExpiresDate", date: 8 * day))
        let subscription = try purchase(failed)
        let grace = try row(answer([subscription], at: 7 * day + hour))
        #expect(grace["state"] == "GRACE")
        #expect(grace["gracePeriodExpiresDate"]?.integer == at(8 * day).millisecondsSince1970)
        let retry = try answer([subscription], at: 9 * day)
        #expect(retry["grants"] == [])
        let row = try row(retry, of: "inactive")
        #expect(row["state"] == "RETRY" && row["isEntitled"] == false && row["until"] == nil)
        #expect(retry["nextChange"] != nil)
    }

    @Test func `a refund's date and reason are reported only after it was made`() throws {
        let refund = Notification(
            .refund, signed: 2 * day,
            transaction: trial.with("revocationDate", date: day).with("revocationReason", 1))
        let subscription = try purchase(refund)
        let revoked = try row(answer([subscription], at: 3 * day), of: "inactive")
        #expect(revoked["revocationDate"]?.integer == at(day).millisecondsSince1970)
        #expect(revoked["revocationReason"] == 1)
        let before = try row(answer([subscription], at: hour, view: .history))
        #expect(before["revocationDate"] == nil && before["revocationReason"] == nil)
    }

    @Test func `each period has its own offer and price, regardless of the newest statement`() throws {
        let renewed = period("11", from: 7 * day, to: 37 * day).with("originalPurchaseDate", date: 0)
            .with("price", 9990).with("currency", "EUR")
        let told = [
            Notification(.subscribed, signed: 0, status: .active, transaction: trial),
            Notification(.didRenew, signed: 6 * day, status: .active, transaction: renewed),
        ]
        let early = try row(answer([purchase(told)], at: 6 * day + hour))
        #expect(early["offerDiscountType"] == "FREE_TRIAL" && early["price"] == 0)
        let refund = Notification(
            .refund, signed: 20 * day, status: .active,
            transaction: trial.with("revocationDate", date: 20 * day).with("revocationReason", 1))
        for order in [told + [refund], [refund] + told.reversed()] {
            let subscription = try purchase(order)
            let now = try row(answer([PurchaseFacts(json: subscription.jsonText)], at: 21 * day))
            #expect(now["price"] == 9990 && now["currency"] == "EUR" && now["offerType"] == nil)
            #expect(now["originalPurchaseDate"]?.integer == at(0).millisecondsSince1970)
            let before = try row(answer([subscription], at: day, view: .history))
            #expect(before["expiresDate"]?.integer == at(7 * day).millisecondsSince1970)
            #expect(before["price"] == 0 && before["offerIdentifier"] == "spring")
        }
    }

    @Test func `consumables with the same name in two apps have separate balances`() throws {
        let charge = Notification(
            .oneTimeCharge, signed: 0,
            transaction: period("1", from: 0, to: 0, product: "coins").with("type", "Consumable"))
        let one = try purchase(charge)
        var object = try #require(try JSONValue(json: one.jsonText).object)
        object["bundleId"] = "com.example.other"
        let other = try PurchaseFacts(json: JSONValue.object(object).json)
        let balances = try answer([other, one], at: day)["balances"]?.array?.compactMap(\.object) ?? []
        #expect(balances.map { $0["bundleId"] } == ["com.example", "com.example.other"])
        #expect(balances.map { $0["netUnits"] } == [1, 1])
    }

    @Test func `a published record with every detail is at most 8 KiB`() throws {
        let full = Notification(
            .subscribed, signed: 0, status: .active,
            transaction: trial.with("offerIdentifier", .string(String(repeating: "x", count: 256))),
            renewalInfo: renewal().with("gracePeriodExpiresDate", date: 8 * day))
        var purchase = try purchase(full)
        for week in 1...156 {
            let start = Int64(week) * 7 * day
            let next = period("\(100 + week)", from: start, to: start + 7 * day)
            purchase.merge(try #require(try Notification(.didRenew, signed: start, transaction: next).facts()))
        }
        let rules = ProductRules(products: [ProductId("monthly"): ProductRule(entitlements: ["a", "b", "c", "d"])])
        let value = try #require(purchase.published(at: at(156 * 7 * day), rules: rules).value)
        #expect(value.count <= 8192, "\(value.count) bytes")
    }
}
