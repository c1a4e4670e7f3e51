import AppStoreModel
import EntitlementRules
import JSON
import TestSupport
import Testing

/// A migration to Advanced Commerce: two purchases with two keys, linked by facts.
@Suite("A purchase that continues another") struct PurchaseMigrationTests {
    private let token = "7e3fb204-2d5b-4a5c-8f1e-0a1b2c3d4e5f"

    private func old(_ token: String?) throws -> PurchaseFacts {
        var transaction = period("1", from: 0, to: 30 * day)
        if let token { transaction = transaction.with("appAccountToken", .string(token)) }
        return try #require(
            try Notification(
                .subscribed, signed: 0, status: .active, transaction: transaction, renewalInfo: renewal()
            ).facts())
    }

    private func new() throws -> PurchaseFacts {
        let transaction = period("9", from: 10 * day, to: 40 * day, product: "sku").with("originalTransactionId", "9")
            .with("previousOriginalTransactionId", "1")
        return try #require(
            try Notification(
                NotificationType("MIGRATION"), signed: 10 * day, status: .active, transaction: transaction,
                renewalInfo: renewal(product: "sku").with("originalTransactionId", "9")
            ).facts())
    }

    /// Merges facts one by one as the store does, with all derived updates.
    static func settled(_ facts: [PurchaseFacts]) -> [String: PurchaseFacts] {
        var purchases: [String: PurchaseFacts] = [:]
        var work = facts
        while !work.isEmpty {
            let next = work.removeFirst()
            let key = next.originalTransactionId.rawValue
            if purchases[key] == nil {
                purchases[key] = next
            } else if purchases[key]?.merge(next).isChanged != true {
                continue
            }
            work += purchases[key]?.derivedUpdates ?? []
        }
        return purchases
    }

    @Test func `the new purchase gets the account of the purchase it continues, in every order`() throws {
        let facts = [try old(token), try new()]
        for order in [facts, facts.reversed(), facts + facts.reversed()] {
            let purchases = Self.settled(order)
            // Only the earlier purchase's own facts end it.
            #expect(purchases["1"]?.state(at: at(29 * day))?.phase == .active)
            #expect(purchases["1"]?.state(at: at(9 * day))?.until == at(30 * day))
            #expect(purchases["1"]?.successors == [OriginalTransactionId("9"): at(10 * day)])
            #expect(purchases["9"]?.appAccountToken?.rawValue == token)
            #expect(purchases["9"]?.previousOriginalTransactionId == OriginalTransactionId("1"))
            #expect(purchases["9"]?.state(at: at(11 * day))?.phase == .active)
            #expect(purchases == Self.settled(facts))
        }
    }

    @Test func `a claim on the old purchase applies to the new one unless the new one has a token`() throws {
        var claimed = try old(nil)
        claimed.insert(OwnerClaim(appAccountToken: AppAccountToken("a"), claimedAt: at(day)))
        #expect(Self.settled([claimed, try new()])["9"]?.appAccountToken == AppAccountToken("a"))
        var own = try new()
        own.insert(OwnerClaim(appAccountToken: AppAccountToken("b"), claimedAt: at(2 * day)))
        #expect(Self.settled([claimed, own])["9"]?.appAccountToken == AppAccountToken("b"))
        #expect(Self.settled([try old(token), own])["9"]?.appAccountToken?.rawValue == token)
    }

    @Test func `facts survive a round trip`() throws {
        let purchases = Self.settled([try old(token), try new()])
        for purchase in purchases.values { #expect(try PurchaseFacts(json: purchase.jsonText) == purchase) }
        #expect(
            purchases["1"].map { String(decoding: $0.jsonText, as: UTF8.self).contains(#""successors":[["9","#) }
                == true)
    }

    @Test func `propagation between purchases that name each other terminates`() throws {
        let back = period("1", from: 20 * day, to: 50 * day).with("previousOriginalTransactionId", "9")
        let odd = try #require(try Notification(.didRenew, signed: 20 * day, transaction: back).facts())
        let purchases = Self.settled([try new(), odd, try old(token)])
        #expect(purchases.count == 2)
        #expect(purchases == Self.settled([odd, try old(token), try new()]))
    }
}

@Suite("An erased purchase") struct PurchaseErasureTests {
    private let bought = Notification(
        .subscribed, signed: 0, uuid: "u", status: .active,
        transaction: period("1", from: 0, to: 30 * day).with("appAccountToken", "t"), renewalInfo: renewal())
    private let renewed = Notification(
        .didRenew, signed: 30 * day, uuid: "v", status: .active, transaction: period("2", from: 30 * day, to: 60 * day),
        renewalInfo: renewal())

    @Test func `drops facts signed before the erasure and accepts later ones`() throws {
        var erased = try purchase()
        erased.erase(upTo: at(10 * day))
        #expect(erased.isErased)
        let before = try #require(try bought.facts())
        let after = try #require(try renewed.facts())
        for order in [[erased, before, after], [before, after, erased], [after, before, erased, before]] {
            var purchase = try purchase()
            for facts in order { purchase.merge(facts) }
            #expect(purchase.transactions.keys.map(\.rawValue) == ["2"])
            #expect(purchase.events.map(\.notificationType) == [.didRenew])
            #expect(purchase.appAccountToken == nil)
            #expect(!purchase.isErased)
            #expect(try PurchaseFacts(json: purchase.jsonText) == purchase)
        }
        #expect(!erased.merge(before).isChanged)
        #expect(erased.isErased)
        #expect(erased.published(at: at(0), rules: ProductRules()).value == nil)
    }

    @Test func `the latest erasure applies in every order`() throws {
        var early = try purchase()
        early.erase(upTo: at(day))
        var late = try purchase()
        late.erase(upTo: at(40 * day))
        let facts = try [bought, renewed].compactMap { try $0.facts() }
        for order in [[early, late] + facts, facts + [late, early], [facts[1], late, facts[0], early]] {
            var purchase = try purchase()
            for one in order { purchase.merge(one) }
            #expect(purchase.isErased && purchase.erasedAt == at(40 * day))
        }
    }
}

@Suite("History of a one-time purchase") struct OneTimeHistoryTests {
    @Test func `contains the refund and its reversal, with their notifications`() throws {
        let thing: JSONObject = [
            "transactionId": "1", "originalTransactionId": "1", "productId": "thing", "type": "Non-Consumable",
            "quantity": 1,
        ]
        let purchase = try purchase(
            Notification(.oneTimeCharge, signed: 0, transaction: thing.with("purchaseDate", date: 0)),
            Notification(
                .refund, signed: day, transaction: thing.with("purchaseDate", date: 0).with("revocationDate", date: day)
            ),
            Notification(.refundReversed, signed: 2 * day, transaction: thing.with("purchaseDate", date: 0)))
        #expect(
            purchase.transitions(ProductRules()).map { "\($0.from ?? "-") \($0.to) \($0.cause.notificationType)" } == [
                "- OWNED ONE_TIME_CHARGE", "OWNED REVOKED REFUND", "REVOKED OWNED REFUND_REVERSED",
            ])
    }
}
