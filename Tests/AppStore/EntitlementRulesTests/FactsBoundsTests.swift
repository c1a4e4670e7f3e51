import AppStoreModel
import EntitlementRules
import JSON
import TestSupport
import Testing

/// Purchases that exceed the limits of stored transactions and notifications.
@Suite("Bounded facts") struct FactsBoundsTests {
    private let token = "7e3fb204-2d5b-4a5c-8f1e-0a1b2c3d4e5f"

    /// Returns a period of a weekly subscription with every field that Apple sends.
    private func weekly(_ number: Int64, token: String? = nil) throws -> PurchaseFacts {
        let id = String(2_000_000_900_000_000 + number * 9_001_337)
        var transaction = period(id, from: number * 7 * day, to: (number + 1) * 7 * day, product: "com.example.weekly")
            .with("subscriptionGroupIdentifier", "21000001").with("originalPurchaseDate", date: 0)
            .with("inAppOwnershipType", "PURCHASED").with("appTransactionId", "704897469903783919")
            .with("transactionReason", number == 0 ? "PURCHASE" : "RENEWAL").with("storefront", "DEU")
            .with("price", 4990).with("currency", "EUR")
        if let token = token ?? (number < 200 ? self.token : nil) {
            transaction = transaction.with("appAccountToken", .string(token))
        }
        let uuid = "\(10_000_000 + number)-1c2d-4e3f-8a4b-\(100_000_000_000 + number * 7919)"
        return try #require(
            try Notification(
                number == 0 ? .subscribed : .didRenew, signed: number * 7 * day - hour, uuid: uuid, status: .active,
                transaction: transaction,
                renewalInfo: renewal(product: "com.example.weekly").with("renewalDate", date: (number + 1) * 7 * day)
                    .with("renewalPrice", 4990).with("currency", "EUR").with("appAccountToken", .string(self.token))
            ).facts())
    }

    private func merged(_ facts: [PurchaseFacts]) throws -> PurchaseFacts {
        var purchase = try purchase()
        for one in facts { purchase.merge(one) }
        return purchase
    }

    private func published(_ count: Int64) throws -> [UInt8] {
        let purchase = try merged((0..<count).map { try weekly($0) })
        return try #require(purchase.published(at: at((count - 1) * 7 * day + hour), rules: ProductRules()).value)
    }

    @Test func `a value of 156 transactions has at most 8 KiB, and at most 1.5 times the size of one with 2`() throws {
        let young = try published(2).count
        let old = try published(156).count
        #expect(old <= 8192)
        #expect(Double(old) <= 1.5 * Double(young), "\(old) bytes of 156 transactions, \(young) of 2")
        #expect(try published(1000).count <= old + 64)
    }

    @Test func `the latest transactions and events are kept, in every order`() throws {
        let facts = try (0..<Int64(FactsBounds.periods + 40)).map { try weekly($0) }
        var random = SeededGenerator(seed: 3)
        let expected = try merged(facts)
        #expect(expected.transactions.count == FactsBounds.periods)
        #expect(expected.transactions.values.first?.start == at(40 * 7 * day))
        #expect(expected.events.count == FactsBounds.events)
        for _ in 0..<20 { #expect(try merged((facts + facts).shuffled(using: &random)) == expected) }
    }

    @Test func `a replay from the beginning changes nothing`() throws {
        let facts = try (0..<80).map { try weekly($0) }
        var purchase = try PurchaseFacts(json: try merged(facts).jsonText)
        let text = purchase.jsonText
        for one in facts { #expect(!purchase.merge(one).isChanged) }
        #expect(purchase.merge(facts[0]).isStale)
        #expect(purchase.jsonText == text)
    }

    @Test(arguments: 0..<16 as Range<UInt64>)
    func `merging is associative, commutative and idempotent beyond the bounds`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let facts = try LongHistory(&random).facts
        for _ in 0..<6 {
            let parts = try (0..<3).map { _ in try merged(facts.filter { _ in Bool.random(using: &random) }) }
            let (a, b, c) = (parts[0], parts[1], parts[2])
            #expect(try merged([a, merged([b, c])]) == merged([merged([a, b]), c]))
            #expect(try merged([a, b]) == merged([b, a]))
            #expect(try merged([a, a]) == a)
            // A member that restores the published value reaches the same state as the publisher.
            let value = try #require(a.published(at: at(0), rules: ProductRules()).value)
            #expect(try merged([PurchaseFacts(published: value), b]) == merged([a, b]))
        }
        let whole = try merged(facts)
        for _ in 0..<6 {
            let order = (facts + facts.shuffled(using: &random).prefix(20)).shuffled(using: &random)
            let other = try merged(order)
            #expect(other == whole && other.jsonText == whole.jsonText)
        }
        #expect(try PurchaseFacts(json: whole.jsonText) == whole)
    }

    /// Returns an unsigned statement about a transaction.
    private func unsigned(_ id: String, days: Int64, received: Int64, revoked: Int64? = nil) throws -> PurchaseFacts {
        var transaction = period(id, from: 0, to: days * day)
        if let revoked { transaction = transaction.with("revocationDate", date: revoked * day) }
        let uuid = "\(id)-\(days)-\(received)-\(revoked ?? 0)"
        return try #require(
            try Notification(.didRenew, signed: days * day, uuid: uuid, transaction: transaction)
                .facts(isSigned: false, received: received * day))
    }

    @Test(arguments: 0..<16 as Range<UInt64>)
    func `version 1 statements are merged in any order and grouping beyond the bound`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let facts = try (0..<120).map { _ in
            try unsigned(
                "\(Int64.random(in: 100..<124, using: &random))", days: Int64.random(in: 6...8, using: &random),
                received: Int64.random(in: 0...60, using: &random),
                revoked: Bool.random(using: &random) ? Int64.random(in: 1...2, using: &random) : nil)
        }
        for _ in 0..<6 {
            var parts = try (0..<3).map { _ in try merged(facts.filter { _ in Bool.random(using: &random) }) }
            if Bool.random(using: &random) { parts[1].erase(upTo: at(Int64.random(in: 0...60, using: &random) * day)) }
            let (a, b, c) = (parts[0], parts[1], parts[2])
            let whole = try merged([a, merged([b, c])])
            #expect(try whole == merged([merged([a, b]), c]))
            #expect(try whole.jsonText == merged([c, b, a]).jsonText)
            #expect(try merged([a, b]) == merged([b, a]))
            #expect(try merged([a, a]) == a)
            #expect(try PurchaseFacts(json: whole.jsonText) == whole)
        }
        let whole = try merged(facts)
        for _ in 0..<6 { #expect(try merged(facts.shuffled(using: &random)) == whole) }
    }

    @Test func `a longer version 1 statement that the bound drops does not return with a later one`() throws {
        let (long, short) = (try unsigned("1", days: 30, received: 1), try unsigned("1", days: 20, received: 50))
        let others = try (2..<Int64(18)).map { try unsigned("\($0)", days: 7, received: $0) }
        let expected = try merged([long, short] + others)
        #expect(try merged([long] + others + [short]) == expected)
        #expect(expected.legacy?.transactions[TransactionId("1")]?.expiresDate == at(20 * day))
        // Below the bound, the later end applies, whichever statement was received last.
        let both = try merged([long, short])
        #expect(both.legacy?.transactions[TransactionId("1")]?.expiresDate == at(30 * day))
        #expect(both.legacy?.transactions.count == 1 && both.legacy?.allTransactions.count == 1)
        #expect(try PurchaseFacts(json: both.jsonText) == both)
    }

    @Test func `the account is kept after its transaction is dropped`() throws {
        // Only the first periods have the token.
        let facts = try (0..<Int64(60)).map { number in
            let transaction = period("\(number)", from: number * 7 * day, to: (number + 1) * 7 * day)
            return try #require(
                try Notification(
                    .didRenew, signed: number * 7 * day,
                    transaction: number < 3 ? transaction.with("appAccountToken", .string(token)) : transaction
                ).facts())
        }
        #expect(try merged(facts).appAccountToken?.rawValue == token)
        #expect(try merged(facts.reversed()) == merged(facts))
    }

    @Test func `a migration is kept after its transaction is dropped`() throws {
        let facts = try (0..<Int64(60)).map { number in
            let transaction = period("\(number)", from: number * 7 * day, to: (number + 1) * 7 * day)
            return try #require(
                try Notification(
                    .didRenew, signed: number * 7 * day,
                    transaction: number == 0 ? transaction.with("previousOriginalTransactionId", "0") : transaction
                ).facts())
        }
        let purchase = try PurchaseFacts(json: try merged(facts).jsonText)
        #expect(purchase.previousOriginalTransactionId == OriginalTransactionId("0"))
        #expect(purchase.derivedUpdates.map(\.originalTransactionId) == [OriginalTransactionId("0")])
        #expect(purchase.derivedUpdates.first?.successors == [OriginalTransactionId("1"): at(0)])
    }

    @Test func `an answer about a time before the stored facts states from when they are complete`() throws {
        let purchase = try merged((0..<60).map { try weekly($0) })
        let first = try #require(purchase.transactions.values.first)
        func answer(_ instant: AppStoreInstant) -> EntitlementAnswer {
            EntitlementAnswer(
                purchases: [purchase], environment: .production, at: instant, rules: ProductRules(), view: .history)
        }
        let told = try #require(purchase.events.first).signedDate
        #expect(answer(at(7 * day)).knownSince == told)
        #expect(answer(at(7 * day)).grants.isEmpty)
        #expect(answer(first.start).knownSince == told)
        #expect(answer(told).knownSince == nil)
        #expect(answer(first.start).active == ["com.example.weekly"])
        let young = try merged((0..<3).map { try weekly($0) })
        #expect(young.whollyKnownSince(before: at(7 * day)) == nil)
    }

    @Test func `added seats are kept in addition to the periods and never evict one`() throws {
        var facts = [try #require(try Notification(.subscribed, signed: 0, transaction: seats("1", 0)).facts())]
        for number in 0..<Int64(FactsBounds.others) {
            let addition = seats("a\(number)", (number + 1) * hour).with("additionalTransactionReason", "SEAT_ADDITION")
            facts.append(try #require(try Notification(.subscribed, signed: number, transaction: addition).facts()))
        }
        let purchase = try merged(facts)
        #expect(purchase.currentTransaction(at: at(10 * day))?.transactionId == TransactionId("1"))
        #expect(purchase.state(at: at(10 * day))?.seats == Int64(FactsBounds.others) + 1)
        #expect(try merged(facts.reversed()) == purchase)
    }

    private func seats(_ id: String, _ start: Int64) -> JSONObject { period(id, from: start, to: 365 * day) }

    @Test func `oversized texts and item lists are truncated, which the answer reports`() throws {
        let items = (0..<500).map { JSONValue.object(["SKU": .string("sku-\($0)")]) }
        let transaction = period("1", from: 0, to: 30 * day).with("advancedCommerceInfo", ["items": .array(items)])
            .with("offerIdentifier", .string(String(repeating: "x", count: 100_000)))
            .with("storefront", .string(String(repeating: "y", count: 100_000)))
        let purchase = try merged([
            try #require(
                try Notification(.subscribed, signed: 0, status: .active, transaction: transaction).facts())
        ])
        let current = try #require(purchase.currentTransaction(at: at(day)))
        #expect(current.items.count == 32)
        #expect(current.items.first?.sku == "sku-0")
        let value = try #require(purchase.published(at: at(day), rules: ProductRules()).value)
        #expect(value.count <= 8192)
        let answer = EntitlementAnswer(
            purchases: [purchase], environment: .production, at: at(day), rules: ProductRules())
        #expect(answer.reports.map(\.problem) == [.itemsOutOfRange])
    }
}

/// Returns a few hundred notifications about more transactions than are kept. Many are about old transactions, and some
/// have the same signing time.
private struct LongHistory {
    let facts: [PurchaseFacts]

    init(_ random: inout SeededGenerator) throws {
        var facts: [PurchaseFacts] = []
        for index in 0..<140 {
            let number = Int64.random(in: 0..<70, using: &random)
            var transaction = period("\(900 + number)", from: number * 7 * day, to: (number + 1) * 7 * day)
            if Int.random(in: 0..<4, using: &random) == 0 {
                transaction = transaction.with("revocationDate", date: Int64.random(in: 0...500, using: &random) * day)
            }
            if Bool.random(using: &random) {
                transaction = transaction.with("appAccountToken", .string("\(number % 3)"))
            }
            if number % 10 == 0 { transaction = transaction.with("additionalTransactionReason", "SEAT_ADDITION") }
            let isUpgrade = Int.random(in: 0..<6, using: &random) == 0
            let notification = Notification(
                isUpgrade ? .didChangeRenewalPref : .didRenew, isUpgrade ? .upgrade : nil,
                signed: Int64.random(in: 0...60, using: &random) * day, uuid: "u\(index % 40)",
                status: SubscriptionStatus(Int32.random(in: 1...5, using: &random)), transaction: transaction,
                renewalInfo: renewal(Int64.random(in: 0...1, using: &random)))
            facts.append(try #require(try notification.facts(isSigned: index % 5 > 0)))
        }
        self.facts = facts
    }
}
