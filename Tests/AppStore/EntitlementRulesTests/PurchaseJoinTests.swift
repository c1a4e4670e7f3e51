import AppStoreModel
import EntitlementRules
import JSON
import TestSupport
import Testing

/// Generated life cycles. The state must not depend on the order in which facts arrive.
@Suite("Purchase facts are a join") struct PurchaseJoinTests {
    @Test(arguments: 0..<12 as Range<UInt64>)
    func `every order with duplicates leads to the same facts`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let facts = try Self.facts(&random)
        let expected = Self.merged(facts)
        for _ in 0..<12 {
            var order = facts.shuffled(using: &random)
            for _ in 0..<5 { order.append(try #require(facts.randomElement(using: &random))) }
            order.shuffle(using: &random)
            let purchase = Self.merged(order)
            #expect(purchase == expected)
            #expect(purchase.jsonText == expected.jsonText)
            for days in stride(from: Int64(0), through: 400, by: 40) {
                #expect(purchase.state(at: at(days * day)) == expected.state(at: at(days * day)))
                for trust in LegacyTrust.allCases {
                    #expect(Self.answer(purchase, trust, days) == Self.answer(expected, trust, days))
                }
            }
        }
    }

    @Test(arguments: 100..<108 as Range<UInt64>)
    func `merging is associative, commutative and idempotent`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let facts = try Self.facts(&random)
        for _ in 0..<10 {
            let parts = (0..<3).map { _ in Self.merged(facts.filter { _ in Bool.random(using: &random) }) }
            let (a, b, c) = (parts[0], parts[1], parts[2])
            #expect(Self.merged([a, Self.merged([b, c])]) == Self.merged([Self.merged([a, b]), c]))
            #expect(Self.merged([a, b]) == Self.merged([b, a]))
            #expect(Self.merged([a, a]) == Self.merged([a]))
        }
    }

    @Test func `a merge reports whether it changed the facts`() throws {
        var random = SeededGenerator(seed: 1)
        let facts = try Self.lifeCycle(&random).compactMap { try $0.facts() }
        var purchase = Self.merged(facts)
        for one in facts { #expect(!purchase.merge(one).isChanged) }
        var empty = Self.merged([])
        #expect(empty.merge(facts[0]) == PurchaseFacts.MergeOutcome(isChanged: true, isStale: false))
    }

    @Test func `a change to a copy leaves the original unchanged`() throws {
        var random = SeededGenerator(seed: 1)
        let facts = try Self.lifeCycle(&random).compactMap { try $0.facts() }
        let original = Self.merged(Array(facts.dropLast()))
        let text = original.jsonText
        var copy = original
        #expect(copy.merge(try #require(facts.last)).isChanged)
        copy.erase(upTo: at(0))
        #expect(copy != original)
        #expect(original.jsonText == text)
        #expect(try PurchaseFacts(json: text) == original)
    }

    @Test(arguments: 200..<212 as Range<UInt64>)
    func `version 1 notifications do not change the signed facts, in any order`(
        seed: UInt64
    ) throws {
        var random = SeededGenerator(seed: seed)
        let signed = try Self.lifeCycle(&random).compactMap { try $0.facts() }
        let others = try Self.lifeCycle(&random).compactMap { try $0.facts(isSigned: false) }
        let expected = Self.merged(signed)
        let mixed = Self.merged((signed + others).shuffled(using: &random))
        for days in stride(from: Int64(0), through: 400, by: 20) {
            #expect(mixed.state(at: at(days * day)) == expected.state(at: at(days * day)))
            #expect(Self.answer(mixed, .observe, days) == Self.answer(expected, .observe, days))
            // Unconfirmed facts neither grant nor remove access.
            #expect(Self.answer(mixed, .confirm, days).active == Self.answer(expected, .confirm, days).active)
        }
        // A fact that Apple did not have at the last query is ignored.
        var settled = mixed
        settled.setLegacyAside(mixed.unsettledLegacyIds)
        for days in stride(from: Int64(0), through: 400, by: 20) {
            for trust in LegacyTrust.allCases {
                #expect(Self.answer(settled, trust, days) == Self.answer(expected, trust, days))
            }
        }
    }

    private static func answer(_ purchase: PurchaseFacts, _ trust: LegacyTrust, _ days: Int64) -> EntitlementAnswer {
        EntitlementAnswer(
            purchases: [purchase], environment: .production, at: at(days * day),
            rules: ProductRules(legacyTrust: LegacyTrustRules(others: trust)))
    }

    /// Returns signed and unsigned facts, with some of Apple's answers about the unsigned ones.
    private static func facts(_ random: inout SeededGenerator) throws -> [PurchaseFacts] {
        var facts = try lifeCycle(&random).compactMap { try $0.facts(isSigned: Bool.random(using: &random)) }
        for _ in 0..<2 {
            var settled = merged([])
            let date = at(Int64.random(in: 0...6, using: &random) * day)
            let id = LegacyFactId(
                FactVersion(signedDate: date, isSigned: false, notificationUUID: NotificationUUID("DID_RENEW")))
            if Bool.random(using: &random) { settled.settleLegacy([id]) } else { settled.setLegacyAside([id]) }
            facts.append(settled)
        }
        return facts
    }

    private static func merged(_ facts: [PurchaseFacts]) -> PurchaseFacts {
        var purchase = PurchaseFacts(
            environment: .production, bundleId: BundleId("com.example"),
            originalTransactionId: OriginalTransactionId("1"))
        for one in facts { purchase.merge(one) }
        return purchase
    }

    /// Returns notifications about a few transactions with frequently colliding dates, statuses and contents.
    private static func lifeCycle(_ random: inout SeededGenerator) -> [Notification] {
        let types: [(NotificationType, Subtype?)] = [
            (.didRenew, nil), (.didChangeRenewalPref, .upgrade), (.refund, nil), (.refundReversed, nil),
            (.expired, .voluntary), (.didFailToRenew, .gracePeriod), (NotificationType("NEW"), nil),
        ]
        return (0..<14).map { index in
            let (type, subtype) = types.randomElement(using: &random) ?? (.test, nil)
            let number = Int64.random(in: 1...4, using: &random)
            var transaction = period("t\(number)", from: number * 30 * day, to: (number + 1) * 30 * day)
            if Bool.random(using: &random) { transaction = transaction.with("isUpgraded", true) }
            if Bool.random(using: &random) {
                transaction = transaction.with(
                    "revocationDate", date: Int64.random(in: 0...9, using: &random) * 10 * day)
            }
            var renewalInfo = renewal(Int64.random(in: 0...1, using: &random))
            if Bool.random(using: &random) { renewalInfo = renewalInfo.with("isInBillingRetryPeriod", true) }
            let token = ["x", "y"].randomElement(using: &random) ?? "x"
            return Notification(
                type, subtype, signed: Int64.random(in: 0...6, using: &random) * day,
                // There are few identities, so some are repeated with different content.
                uuid: "u\(index % 5)", status: SubscriptionStatus(Int32.random(in: 1...6, using: &random)),
                transaction: transaction.with("appAccountToken", .string(token)), renewalInfo: renewalInfo)
        }
    }
}
