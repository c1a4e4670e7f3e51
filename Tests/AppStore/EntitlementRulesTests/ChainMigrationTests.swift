import AppStoreModel
import EntitlementRules
import JSON
import TestSupport
import Testing

/// A migration to Advanced Commerce: two chains under two keys, told of each other by facts.
@Suite("A chain that goes on from another") struct ChainMigrationTests {
    private let token = "7e3fb204-2d5b-4a5c-8f1e-0a1b2c3d4e5f"

    private func old(_ token: String?) throws -> ChainFacts {
        var transaction = period("1", from: 0, to: 30 * day)
        if let token { transaction = transaction.with("appAccountToken", .string(token)) }
        return try #require(
            try Notification(
                .subscribed, signed: 0, status: .active, transaction: transaction, renewalInfo: renewal()
            ).facts())
    }

    private func new() throws -> ChainFacts {
        let transaction = period("9", from: 10 * day, to: 40 * day, product: "sku").with("originalTransactionId", "9")
            .with("previousOriginalTransactionId", "1")
        return try #require(
            try Notification(
                NotificationType("MIGRATION"), signed: 10 * day, status: .active, transaction: transaction,
                renewalInfo: renewal(product: "sku").with("originalTransactionId", "9")
            ).facts())
    }

    /// Merges facts one by one as the store does, with everything that follows.
    private func settled(_ facts: [ChainFacts]) -> [String: ChainFacts] {
        var chains: [String: ChainFacts] = [:]
        var work = facts
        while !work.isEmpty {
            let next = work.removeFirst()
            let key = next.originalTransactionId.rawValue
            if chains[key] == nil {
                chains[key] = next
            } else if chains[key]?.merge(next).changed != true {
                continue
            }
            work += chains[key]?.consequences ?? []
        }
        return chains
    }

    @Test func `the old chain is closed and the new one has its account, in every order`() throws {
        let facts = [try old(token), try new()]
        for order in [facts, facts.reversed(), facts + facts.reversed()] {
            let chains = settled(order)
            #expect(chains["1"]?.state(at: at(9 * day))?.phase == .active)
            #expect(chains["1"]?.state(at: at(9 * day))?.until == at(10 * day))
            #expect(chains["1"]?.nextChange(after: at(1)) == at(10 * day))
            #expect(chains["1"]?.state(at: at(10 * day))?.phase == .migrated)
            #expect(chains["1"]?.state(at: at(10 * day))?.isEntitled == false)
            #expect(chains["9"]?.appAccountToken?.rawValue == token)
            #expect(chains["9"]?.previousOriginalTransactionId == OriginalTransactionId("1"))
            #expect(chains["9"]?.state(at: at(11 * day))?.phase == .active)
            #expect(chains == settled(facts))
        }
    }

    @Test func `a claim on the old chain is one on the new, and the new one's own word stands above both`() throws {
        var claimed = try old(nil)
        claimed.insert(OwnerClaim(appAccountToken: AppAccountToken("a"), claimedAt: at(day)))
        #expect(settled([claimed, try new()])["9"]?.appAccountToken == AppAccountToken("a"))
        var own = try new()
        own.insert(OwnerClaim(appAccountToken: AppAccountToken("b"), claimedAt: at(2 * day)))
        #expect(settled([claimed, own])["9"]?.appAccountToken == AppAccountToken("b"))
        #expect(settled([try old(token), own])["9"]?.appAccountToken?.rawValue == token)
    }

    @Test func `facts of it survive the way there and back`() throws {
        let chains = settled([try old(token), try new()])
        for chain in chains.values { #expect(try ChainFacts(json: chain.jsonText) == chain) }
        #expect(chains["1"].map { String(decoding: $0.jsonText, as: UTF8.self).contains(#""successors":[{"#) } == true)
    }

    @Test func `chains that name each other come to an end`() throws {
        let back = period("1", from: 20 * day, to: 50 * day).with("previousOriginalTransactionId", "9")
        let odd = try #require(try Notification(.didRenew, signed: 20 * day, transaction: back).facts())
        let chains = settled([try new(), odd, try old(token)])
        #expect(chains.count == 2)
        #expect(chains == settled([odd, try old(token), try new()]))
    }
}

@Suite("An erased chain") struct ChainErasureTests {
    private let bought = Notification(
        .subscribed, signed: 0, uuid: "u", status: .active,
        transaction: period("1", from: 0, to: 30 * day).with("appAccountToken", "t"), renewalInfo: renewal())
    private let renewed = Notification(
        .didRenew, signed: 30 * day, uuid: "v", status: .active, transaction: period("2", from: 30 * day, to: 60 * day),
        renewalInfo: renewal())

    @Test func `forgets what was signed before, and takes in what is signed later`() throws {
        var erased = try chain()
        erased.erase(upTo: at(10 * day))
        #expect(erased.isErased)
        let before = try #require(try bought.facts())
        let after = try #require(try renewed.facts())
        for order in [[erased, before, after], [before, after, erased], [after, before, erased, before]] {
            var chain = try chain()
            for facts in order { chain.merge(facts) }
            #expect(chain.purchases.keys.map(\.rawValue) == ["2"])
            #expect(chain.events.map(\.notificationType) == [.didRenew])
            #expect(chain.appAccountToken == nil)
            #expect(!chain.isErased)
            #expect(try ChainFacts(json: chain.jsonText) == chain)
        }
        #expect(!erased.merge(before).changed)
        #expect(erased.isErased)
        #expect(erased.published(at: at(0), rules: ProductRules()).value == nil)
    }

    @Test func `the latest erasure counts, whatever comes first`() throws {
        var early = try chain()
        early.erase(upTo: at(day))
        var late = try chain()
        late.erase(upTo: at(40 * day))
        let facts = try [bought, renewed].compactMap { try $0.facts() }
        for order in [[early, late] + facts, facts + [late, early], [facts[1], late, facts[0], early]] {
            var chain = try chain()
            for one in order { chain.merge(one) }
            #expect(chain.isErased && chain.erasedAt == at(40 * day))
        }
    }
}

@Suite("History of a one-time purchase") struct OneTimeHistoryTests {
    @Test func `refund and reversal are in it, told by their notifications`() throws {
        let thing: JSONObject = [
            "transactionId": "1", "originalTransactionId": "1", "productId": "thing", "type": "Non-Consumable",
            "quantity": 1,
        ]
        let chain = try chain(
            Notification(.oneTimeCharge, signed: 0, transaction: thing.with("purchaseDate", date: 0)),
            Notification(
                .refund, signed: day, transaction: thing.with("purchaseDate", date: 0).with("revocationDate", date: day)
            ),
            Notification(.refundReversed, signed: 2 * day, transaction: thing.with("purchaseDate", date: 0)))
        #expect(
            chain.transitions(ProductRules()).map { "\($0.from ?? "-") \($0.to) \($0.cause.notificationType)" } == [
                "- OWNED ONE_TIME_CHARGE", "OWNED REVOKED REFUND", "REVOKED OWNED REFUND_REVERSED",
            ])
    }
}
