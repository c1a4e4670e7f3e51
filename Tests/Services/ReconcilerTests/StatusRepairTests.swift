import AppStoreModel
import AppStoreSigning
import EntitlementRules
import JSON
import Kafka
import PipelineTestSupport
import Primitives
import Reconciliation
import Records
import Telemetry
import TestSupport
import Testing

@testable import Reconciler
@testable import Simulator

// Repairs of differences from Apple's statuses: app-store.md 5.4 and 12.4.
extension StatusSweepTests {
    /// Returns the records of a purchase in the entitlements topic, oldest first.
    private func published(_ purchase: String, _ installation: ReconcilerInstallation) async throws -> [KafkaRecord] {
        let key = Array("\(ReconcilerInstallation.app)/\(purchase)".utf8)
        return try await installation.kafka.records(
            of: [installation.topics.entitlements(.production)], partitions: 2
        ).filter { $0.key == key }.sorted { $0.offset < $1.offset }
    }

    /// Returns a subscription that version 1 last reported as active, and that expired an hour ago according to Apple's
    /// signed data.
    private func expired(_ purchase: String) -> JSONObject {
        var transaction = transaction(purchase, purchase)
        transaction["expiresDate"] = .integer(VirtualClock.start - 3_600_000)
        transaction["signedDate"] = .integer(VirtualClock.start)
        return transaction
    }

    private func renewalOff(_ purchase: String) -> JSONObject {
        var renewal = renewal(purchase)
        renewal["autoRenewStatus"] = 0
        renewal["signedDate"] = .integer(VirtualClock.start)
        return renewal
    }

    private func statuses(
        of purchase: String, _ transaction: JSONObject, status: Int64, _ signer: JWSSigner
    ) throws -> (Int, JSONValue) {
        (
            200,
            [
                "environment": "Production", "bundleId": .string(ReconcilerInstallation.app),
                "appAppleId": 1_234_567_890,
                "data": [
                    [
                        "subscriptionGroupIdentifier": "1",
                        "lastTransactions": [
                            [
                                "status": .integer(status), "originalTransactionId": .string(purchase),
                                "signedTransactionInfo": .string(
                                    try signer.sign(String(decoding: JSONValue.object(transaction).json, as: UTF8.self))
                                ),
                            ]
                        ],
                    ]
                ],
            ]
        )
    }

    /// Publishes each purchase's answer, derived from the facts of its last record, as sluice-entitlements does.
    private func publishAnswers(_ purchases: [String], _ installation: ReconcilerInstallation) async throws {
        let rules = ProductRules(legacyTrust: LegacyTrustRules(others: .accept))
        for purchase in purchases {
            let last = try #require(try await published(purchase, installation).last)
            let facts = try PurchaseFacts(published: try #require(last.value))
            let now = AppStoreInstant(clampingMillisecondsSince1970: installation.clock.now)
            try await installation.write([
                KafkaProducerRecord(
                    topic: last.topic, key: last.key, value: facts.published(at: now, rules: rules).value)
            ])
        }
    }

    @Test func `a difference is repaired with Apple's signed answer, and the next day shows agreement`() async throws {
        let installation = try await ReconcilerInstallation()
        try await installation.write(try ["100", "200", "300"].map { try row($0, installation) })
        register("100", "100", status: 1, installation)
        installation.api.register(transaction: expired("200"), renewalInfo: renewalOff("200"), status: 2)
        register("300", "301", status: 1, installation)
        let reconciler = try await RunningReconciler(installation, try installation.configuration())
        let last = try #require(try await installation.wait(for: .statuses) { $0.last != nil }.last)
        #expect(last.counts.differing == 2 && last.counts.repaired == 2 && last.counts.unrepaired == 0)

        // A row that agrees is not changed. The answers of the others remain until sluice-entitlements has read their
        // facts.
        #expect(try await published("100", installation).count == 1)
        let records = try await published("200", installation)
        #expect(records.count == 2)
        let values = try records.map { try JSONValue(json: $0.value ?? []).object }
        for name in ["version", "grants", "inactive", "active"] { #expect(values[0]?[name] == values[1]?[name]) }
        let facts = try PurchaseFacts(published: try #require(records[1].value))
        #expect(
            facts.transactions[TransactionId("200")]?.expiresDate?.millisecondsSince1970 == VirtualClock.start
                - 3_600_000)
        #expect(facts.status?.status == .expired && facts.renewal?.autoRenewStatus == .off)
        #expect(facts.unsettledLegacyIds.isEmpty)
        #expect(
            reconciler.log.lines.contains {
                $0.contains("published Apple's signed subscription status") && $0.contains("\"200\"")
            })

        try await publishAnswers(["200", "300"], installation)
        installation.clock.advance(by: .milliseconds(Self.day + 1))
        let second = try await installation.wait(for: .statuses) { $0.last?.startedAt ?? 0 > last.startedAt }
        #expect(second.last?.counts.swept == 3 && second.last?.counts.differing == 0)
        #expect(second.last?.counts.repaired == 0)
        try await waitUntil { reconciler.metric(gauge) == 0 }
        await reconciler.stop()
        await installation.stop()
    }

    /// 12.4, 2a: a confirmation settles the facts that it lists, even if Apple signed it soon after their receipt.
    @Test func `an answer confirms a version 1 body received less than five minutes earlier`() async throws {
        let installation = try await ReconcilerInstallation()
        try await installation.write([
            try row("200", installation, received: VirtualClock.start - 2 * 60_000)
        ])
        installation.api.register(transaction: expired("200"), renewalInfo: renewalOff("200"), status: 2)
        let reconciler = try await RunningReconciler(installation, try installation.configuration())
        try await installation.wait(for: .statuses) { $0.last != nil }
        let record = try #require(try await published("200", installation).last)
        let facts = try PurchaseFacts(published: try #require(record.value))
        #expect(facts.renewal?.version.signedDate.millisecondsSince1970 == VirtualClock.start)
        #expect(facts.unsettledLegacyIds.isEmpty)
        // According to the body the period continues for 29 days.
        let answer = EntitlementAnswer(
            purchases: [facts], environment: .production,
            at: AppStoreInstant(clampingMillisecondsSince1970: VirtualClock.start + 60_000),
            rules: ProductRules(legacyTrust: LegacyTrustRules(others: .accept)))
        #expect(answer.grants.map(\.state) == ["EXPIRED"] && answer.trust == .signed)
        await reconciler.stop()
        await installation.stop()
    }

    @Test func `with repairs switched off a difference is counted and named, and nothing is published`() async throws {
        let installation = try await ReconcilerInstallation()
        try await installation.write([try row("200", installation)])
        installation.api.register(transaction: expired("200"), renewalInfo: renewalOff("200"), status: 2)
        let reconciler = try await RunningReconciler(
            installation, try installation.configuration(data: "data", ["--reconciler.statuses.repair", "false"]))
        let last = try #require(try await installation.wait(for: .statuses) { $0.last != nil }.last)
        #expect(last.counts.differing == 1 && last.counts.repaired == 0 && last.counts.unrepaired == 1)
        #expect(last.differences.map(\.isRepaired) == [false])
        #expect(try await published("200", installation).count == 1)
        await reconciler.stop()
        await installation.stop()
    }

    @Test func `a refused answer is quarantined once, and does not delay other subscriptions`() async throws {
        let installation = try await ReconcilerInstallation()
        try await installation.write(try ["1000", "1001"].map { try row($0, installation) })
        let own = JWSSigner(installation.pki)
        let untrusted = JWSSigner(try TestCertificateAuthority(.init(now: VirtualClock.start / 1_000)))
        let server = try HistoryServer(
            statuses: { purchase in
                let signer = purchase == "1000" ? untrusted : own
                return (try? self.statuses(of: purchase, self.transaction(purchase, purchase), status: 1, signer))
                    ?? HistoryServer.error(500, 5_000_000)
            },
            { _ in HistoryServer.page([]) })
        let reconciler = try await RunningReconciler(
            installation, try installation.configuration(data: "data", url: server.url))
        let first = try #require(try await installation.wait(for: .statuses) { $0.last != nil }.last)
        #expect(first.counts.swept == 2 && first.counts.refused == 1 && first.counts.differing == 0)
        installation.clock.advance(by: .milliseconds(Self.day + 1))
        let second = try await installation.wait(for: .statuses) { $0.last?.startedAt ?? 0 > first.startedAt }
        #expect(second.last?.counts.refused == 1)
        let quarantined = try await installation.kafka.records(of: [installation.topics.quarantine], partitions: 1)
        #expect(quarantined.count == 1)
        let item = try JSONDocument.object(try #require(quarantined.first?.value)).root
        #expect(item["originalTransactionId"]?.string == "1000")
        #expect(item["signedTransactionInfo"]?.string?.isEmpty == false)
        #expect(try await published("1000", installation).count == 1)
        await reconciler.stop()
        await server.stop()
        await installation.stop()
    }

    @Test func `a subscription that needs Apple's answer is queried first, in either version`() async throws {
        let installation = try await ReconcilerInstallation()
        // Status 5 without a revocation: the signed data does not explain it.
        try await installation.write(
            try ["1000", "1001"].map { try row($0, installation) } + [row("3000", installation, isSigned: true)]
                + [row("2000", installation, isSigned: true, status: 5)])
        let signer = JWSSigner(installation.pki)
        let server = try HistoryServer(
            statuses: { purchase in
                var transaction = self.transaction(purchase, purchase)
                transaction["signedDate"] = .integer(VirtualClock.start)
                if purchase == "2000" {
                    transaction["revocationDate"] = .integer(VirtualClock.start - 3_600_000)
                    transaction["revocationReason"] = 0
                }
                return (try? self.statuses(of: purchase, transaction, status: purchase == "2000" ? 5 : 1, signer))
                    ?? HistoryServer.error(500, 5_000_000)
            },
            { _ in HistoryServer.page([]) })
        let reconciler = try await RunningReconciler(
            installation, try installation.configuration(data: "data", url: server.url))
        let last = try #require(try await installation.wait(for: .statuses) { $0.last != nil }.last)
        #expect(server.purchases == ["2000", "1000", "1001"])
        #expect(last.counts.swept == 3 && last.counts.differing == 0 && last.counts.repaired == 1)
        let facts = try PurchaseFacts(
            published: try #require(try await published("2000", installation).last?.value))
        #expect(
            facts.transactions[TransactionId("2000")]?.revocationDate?.millisecondsSince1970 == VirtualClock.start
                - 3_600_000)

        // The state is explained and comes from version 2, so it is not queried again.
        try await publishAnswers(["2000"], installation)
        installation.clock.advance(by: .milliseconds(Self.day + 1))
        try await installation.wait(for: .statuses) { $0.last?.startedAt ?? 0 > last.startedAt }
        #expect(server.purchases == ["2000", "1000", "1001", "1000", "1001"])
        await reconciler.stop()
        await server.stop()
        await installation.stop()
    }
}

/// The subscriptions of the entitlements topic, read once and then followed.
@Suite(.timeLimit(.minutes(5))) struct PublishedSubscriptionsTests {
    private let rows = StatusSweepTests()

    @Test func `only new records are read after the first reading of a topic`() async throws {
        let installation = try await ReconcilerInstallation()
        let subscriptions = PublishedSubscriptions(
            topics: installation.topics, kafka: installation.kafka, clocks: installation.clock.clocks)
        let app = BundleId(ReconcilerInstallation.app)
        func ids() -> [String] {
            subscriptions.rows(of: app, in: .production).map(\.subscription.originalTransactionId.rawValue)
        }
        func now() -> Int64 { installation.clock.clocks.monotonicMilliseconds() }

        try await installation.write(
            try rows.purchases(20).map { try rows.row($0, installation) } + [
                rows.row("9", installation, isSigned: true)
            ])
        let begun = try await subscriptions.refresh(.production, since: now())
        #expect(ids() == rows.purchases(20))
        #expect(subscriptions.recordsRead == 21)

        // Nothing is read for another app, or for the same app soon after.
        installation.clock.advance(by: .seconds(1))
        #expect(try await subscriptions.refresh(.production, since: begun) == begun)
        #expect(subscriptions.recordsRead == 21)

        installation.clock.advance(by: .seconds(90))
        try await installation.write([
            try rows.row("2000", installation),
            KafkaProducerRecord(
                topic: installation.topics.entitlements(.production),
                key: Array("\(ReconcilerInstallation.app)/1000".utf8), value: nil),
        ])
        #expect(try await subscriptions.refresh(.production, since: now()) == now())
        #expect(ids() == rows.purchases(20).dropFirst() + ["2000"])
        #expect(subscriptions.recordsRead == 23)
        #expect(subscriptions.row(of: OriginalTransactionId("1000"), app, in: .production) == nil)
        await installation.stop()
    }

    @Test func `the value of a row is the value of its latest record`() async throws {
        let installation = try await ReconcilerInstallation()
        let subscriptions = PublishedSubscriptions(
            topics: installation.topics, kafka: installation.kafka, clocks: installation.clock.clocks)
        let records = try rows.purchases(5).map { try rows.row($0, installation) }
        try await installation.write(records)
        _ = try await subscriptions.refresh(.production, since: 0)
        for (index, row) in subscriptions.rows(of: BundleId(ReconcilerInstallation.app), in: .production).enumerated() {
            #expect(try await subscriptions.value(of: row) == records[index].value)
        }
        await installation.stop()
    }
}
