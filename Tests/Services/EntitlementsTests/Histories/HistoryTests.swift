import AppStoreModel
import EntitlementRules
import Foundation
import TestSupport
import Testing

@testable import Entitlements

/// Rows are independent of order, copies and partitions, and agree with the oracle.
///
/// `SLUICE_PROPERTY_TESTS=full` runs 2,000 histories, each notification up to 10 times, in 100 orders over 1, 3 and 12
/// partitions, and 100,000 histories in memory; this takes long and needs a release build.
@Suite struct HistoryTests {
    private static let isFull = ProcessInfo.processInfo.environment["SLUICE_PROPERTY_TESTS"] == "full"

    @Test func `generated histories in any order lead to the oracle's state`() throws {
        let trial = try HistoryTrial(count: Self.isFull ? 2000 : 150, random: SeededGenerator(seed: 20_261_121))
        var random = SeededGenerator(seed: 7)
        let expected = try trial.dump(copies: 1, partitions: 1, random: &random)
        #expect(expected.count == trial.histories.count)
        #expect(try trial.disagreements(expected) == [])
        for _ in 0..<(Self.isFull ? 100 : 2) {
            for partitions: Int32 in [1, 3, 12] {
                let dump = try trial.dump(copies: Self.isFull ? 10 : 3, partitions: partitions, random: &random)
                #expect(dump == expected, "\(partitions) partitions")
            }
        }
    }

    @Test func `generated histories lead to the oracle's states and account in every order`() throws {
        var random = SeededGenerator(seed: 17)
        // Runs in parts, because a trial keeps all its histories in memory.
        for part in 0..<(Self.isFull ? 100 : 1) {
            let trial = try HistoryTrial(count: 1000, random: SeededGenerator(seed: UInt64(20_261_123 + part)))
            var dump: HistoryTrial.Dump = [:]
            for facts in trial.facts {
                var order = facts.shuffled(using: &random)[...]
                guard var purchase = order.popFirst() else { continue }
                for one in order { purchase.merge(one) }
                dump[purchase.originalTransactionId.rawValue] = purchase.jsonText
            }
            #expect(dump.count == 1000)
            let disagreements = try trial.disagreements(dump)
            #expect(disagreements == [])
        }
    }

    @Test func `merging generated facts is associative, commutative and idempotent`() throws {
        let trial = try HistoryTrial(count: Self.isFull ? 2000 : 100, random: SeededGenerator(seed: 3))
        var random = SeededGenerator(seed: 4)
        for facts in trial.facts where facts.count > 1 {
            func merged(_ parts: [PurchaseFacts]) -> PurchaseFacts {
                var result = parts[0]
                for part in parts.dropFirst() { result.merge(part) }
                return result
            }
            let cut = Int.random(in: 1..<facts.count, using: &random)
            let (left, right) = (merged(Array(facts[..<cut])), merged(Array(facts[cut...])))
            let whole = merged(facts)
            #expect(merged([left, right]) == whole)
            #expect(merged([right, left]) == whole)
            #expect(merged([whole, left, whole]) == whole)
            #expect(merged(facts.shuffled(using: &random)) == whole)
            #expect(try PurchaseFacts(json: whole.jsonText) == whole)
        }
    }

    @Test func `signed facts lead to the oracle's state in every order, despite version 1 notifications`()
        throws
    {
        let count = Self.isFull ? 2000 : 100
        let observed = ProductRules(legacyTrust: LegacyTrustRules(others: .observe))
        let signed = try HistoryTrial(count: count, random: SeededGenerator(seed: 31), rules: observed)
        // Add forged histories of the same purchases.
        let forged = try HistoryTrial(count: count, random: SeededGenerator(seed: 32), trust: "shared-secret")
        var random = SeededGenerator(seed: 33)
        var dump: HistoryTrial.Dump = [:]
        var settled: HistoryTrial.Dump = [:]
        for (authentic, invented) in zip(signed.facts, forged.facts) {
            func merged() -> PurchaseFacts {
                var order = (authentic + invented + invented.prefix(2)).shuffled(using: &random)[...]
                guard var result = order.popFirst() else { return authentic[0] }
                for one in order { result.merge(one) }
                return result
            }
            var purchase = merged()
            #expect(merged() == purchase)
            #expect(try PurchaseFacts(json: purchase.jsonText) == purchase)
            dump[purchase.originalTransactionId.rawValue] = purchase.jsonText
            purchase.setLegacyAside(purchase.unsettledLegacyIds)
            settled[purchase.originalTransactionId.rawValue] = purchase.jsonText
        }
        #expect(dump.count == count)
        #expect(try signed.disagreements(dump) == [])
        // The forged facts that Apple did not know have no effect under any policy.
        let confirmed = try HistoryTrial(count: count, random: SeededGenerator(seed: 31))
        #expect(try confirmed.disagreements(settled) == [])
    }

    @Test func `the oracle detects wrong facts`() throws {
        let trial = try HistoryTrial(count: 40, random: SeededGenerator(seed: 9))
        var random = SeededGenerator(seed: 1)
        var dump = try trial.dump(copies: 1, partitions: 1, random: &random)
        // The facts of the first notification alone differ from those of the whole history.
        for facts in trial.facts where facts.count > 1 {
            dump[facts[0].originalTransactionId.rawValue] = facts[0].jsonText
        }
        #expect(try !trial.disagreements(dump).isEmpty)
    }
}
