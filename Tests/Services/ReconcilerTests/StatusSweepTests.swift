import AppStoreModel
import AppStoreSigning
import EntitlementRules
import Foundation
import JSON
import Kafka
import PipelineTestSupport
import Reconciliation
import Records
import Synchronization
import TestSupport
import Testing

@testable import Reconciler
@testable import Simulator

/// Compares subscriptions reported by version 1 with Apple's statuses at regular intervals.
@Suite(.timeLimit(.minutes(10))) struct StatusSweepTests {
    static let day: Int64 = 86_400_000

    // MARK: Published states and Apple's answers

    /// Returns a row as published by sluice-entitlements with `legacy.trust=accept`.
    ///
    /// - Parameter received: when the version 1 body was received; nil for a day before the start.
    func row(
        _ purchase: String, _ installation: ReconcilerInstallation, isSigned: Bool = false, status: Int64 = 1,
        received: Int64? = nil
    ) throws -> KafkaProducerRecord {
        let at = AppStoreInstant(clampingMillisecondsSince1970: VirtualClock.start - Self.day)
        let notification: JSONObject = [
            "notificationType": "SUBSCRIBED", "subtype": "INITIAL_BUY", "notificationUUID": .string("v1-\(purchase)"),
            "signedDate": .integer(at.millisecondsSince1970),
            "data": [
                "environment": "Production", "bundleId": .string(ReconcilerInstallation.app),
                "status": .integer(status),
            ],
        ]
        let facts = try #require(
            PurchaseFacts(
                notification: NotificationPayload(try root(notification)),
                transaction: TransactionPayload(try root(transaction(purchase, purchase))),
                renewalInfo: RenewalInfoPayload(try root(renewal(purchase))), isSigned: isSigned,
                receivedAt: received.map { AppStoreInstant(clampingMillisecondsSince1970: $0) }))
        let rules = ProductRules(legacyTrust: LegacyTrustRules(others: .accept))
        return KafkaProducerRecord(
            topic: installation.topics.entitlements(.production),
            key: Array("\(ReconcilerInstallation.app)/\(purchase)".utf8),
            value: facts.published(at: AppStoreInstant(clampingMillisecondsSince1970: VirtualClock.start), rules: rules)
                .value)
    }

    func root(_ object: JSONObject) throws -> JSONElement {
        try JSONDocument.object(JSONValue.object(object).json).root
    }

    func transaction(_ purchase: String, _ transaction: String) -> JSONObject {
        [
            "transactionId": .string(transaction), "originalTransactionId": .string(purchase),
            "bundleId": .string(ReconcilerInstallation.app), "productId": "pro",
            "type": "Auto-Renewable Subscription", "environment": "Production", "quantity": 1,
            "purchaseDate": .integer(VirtualClock.start - Self.day),
            "expiresDate": .integer(VirtualClock.start + 29 * Self.day),
            "signedDate": .integer(VirtualClock.start - Self.day),
        ]
    }

    func renewal(_ purchase: String) -> JSONObject {
        [
            "originalTransactionId": .string(purchase), "autoRenewProductId": "pro", "autoRenewStatus": 1,
            "environment": "Production", "signedDate": .integer(VirtualClock.start - Self.day),
        ]
    }

    /// Registers Apple's data of a purchase.
    func register(
        _ purchase: String, _ transaction: String, status: Int64, _ installation: ReconcilerInstallation
    ) {
        installation.api.register(
            transaction: self.transaction(purchase, transaction), renewalInfo: renewal(purchase), status: status)
    }

    /// Returns Apple's response for an active subscription with the published transaction.
    private func active(_ purchase: String, _ signer: JWSSigner) -> (Int, JSONValue) {
        func signed(_ object: JSONObject) -> JSONValue {
            .string((try? signer.sign(String(decoding: JSONValue.object(object).json, as: UTF8.self))) ?? "")
        }
        return (
            200,
            [
                "environment": "Production", "bundleId": .string(ReconcilerInstallation.app),
                "appAppleId": 1_234_567_890,
                "data": [
                    [
                        "subscriptionGroupIdentifier": "1",
                        "lastTransactions": [
                            [
                                "status": 1, "originalTransactionId": .string(purchase),
                                "signedTransactionInfo": signed(transaction(purchase, purchase)),
                                "signedRenewalInfo": signed(renewal(purchase)),
                            ]
                        ],
                    ]
                ],
            ]
        )
    }

    var gauge: String { "sluice_reconciler_status_differences{app=\"\(ReconcilerInstallation.app)\"" }

    /// Returns this number of purchase ids in ascending order.
    func purchases(_ count: Int) -> [String] { (0..<count).map { "\(1_000 + $0)" } }

    // MARK: Comparisons

    @Test func `a difference is counted and named once a day, until it is gone`() async throws {
        let installation = try await ReconcilerInstallation()
        try await installation.write(
            try ["100", "200", "300", "500"].map { try row($0, installation) } + [
                row("400", installation, isSigned: true),
                KafkaProducerRecord(
                    topic: installation.topics.entitlements(.production),
                    key: Array("\(ReconcilerInstallation.app)/600".utf8), value: nil),
            ])
        register("100", "100", status: 1, installation)
        register("200", "200", status: 5, installation)
        register("500", "501", status: 1, installation)
        let reconciler = try await RunningReconciler(installation, try installation.configuration())
        let first = try await installation.wait(for: .statuses) { $0.last != nil }
        let last = try #require(first.last)
        #expect(last.differences.map(\.published.originalTransactionId.rawValue) == ["200", "300", "500"])
        #expect(last.differences.map(\.kind) == [.access, .unknown, .transaction])
        #expect(last.counts.swept == 4)
        #expect(last.counts.differing == 3)
        #expect(last.counts.missing == 0 && last.counts.published == 0)
        // Apple has no signed data about a purchase that it does not know.
        #expect(last.counts.repaired == 2 && last.counts.unrepaired == 1)
        #expect(last.differences.map(\.isRepaired) == [true, false, true])
        #expect(first.due == last.startedAt + Self.day)
        #expect(installation.api.requests(of: .getAllSubscriptionStatuses) == 4)
        try await waitUntil { reconciler.metric(gauge) == 3 }
        #expect(reconciler.metric("sluice_reconciler_unrepaired_differences{") == 1)
        #expect(reconciler.metric("sluice_reconciler_repaired_total") == 2)
        #expect(reconciler.metric("sluice_notifications_missing{") == 0)

        // The missed notifications have arrived and are published.
        register("200", "200", status: 1, installation)
        register("300", "300", status: 1, installation)
        try await installation.write([
            KafkaProducerRecord(
                topic: installation.topics.entitlements(.production),
                key: Array("\(ReconcilerInstallation.app)/500".utf8), value: nil)
        ])
        installation.clock.advance(by: .milliseconds(Self.day + 1))
        let second = try await installation.wait(for: .statuses) { $0.last?.startedAt ?? 0 > last.startedAt }
        #expect(second.last?.counts.swept == 3)
        #expect(second.last?.counts.differing == 0)
        #expect(second.last?.differences.isEmpty == true)
        try await waitUntil { reconciler.metric(gauge) == 0 }
        await reconciler.stop()
        await installation.stop()
    }

    @Test func `an interrupted comparison continues after the last compared purchase`() async throws {
        let installation = try await ReconcilerInstallation()
        let purchases = purchases(45)
        try await installation.write(try purchases.map { try row($0, installation) })
        for purchase in purchases { register(purchase, purchase, status: 5, installation) }
        let isHeld = Atomic<Bool>(false)
        let first = try await RunningReconciler(installation, try installation.configuration(data: "first")) {
            guard installation.api.requests(of: .getAllSubscriptionStatuses) >= 30 else { return }
            isHeld.store(true, ordering: .relaxed)
            try await untilCancelled()
        }
        try await waitUntil(within: .seconds(60)) { isHeld.load(ordering: .relaxed) }
        await first.stop()
        let begun = try #require(try await installation.sweeps()["statuses"])
        #expect(begun.run?.progress?.pageToken == purchases[19])
        #expect(begun.run?.counts.swept == 20)
        let before = installation.api.requests(of: .getAllSubscriptionStatuses)

        // Start the reconciler on another machine, without the first machine's disk.
        let second = try await RunningReconciler(installation, try installation.configuration(data: "second"))
        let last = try #require(try await installation.wait(for: .statuses) { $0.last != nil }.last)
        #expect(last.startedAt == begun.run?.startedAt)
        #expect(last.counts.swept == 45)
        #expect(last.counts.differing == 45)
        #expect(Set(last.differences.map(\.published.originalTransactionId.rawValue)) == Set(purchases))
        #expect(installation.api.requests(of: .getAllSubscriptionStatuses) - before == 25)
        await second.stop()
        await installation.stop()
    }

    @Test func `a failed request is repeated, and changes only the duration`() async throws {
        let installation = try await ReconcilerInstallation()
        let purchases = purchases(20)
        try await installation.write(try purchases.map { try row($0, installation) })
        for (index, purchase) in purchases.enumerated() {
            register(purchase, purchase, status: index % 5 == 0 ? 5 : 1, installation)
        }
        let shares: [(ServerAPIFaults.Kind, Int)] = [(.rateLimit, 1_000), (.internalError, 1_000), (.reset, 1_000)]
        installation.api.faults = try #require(
            ServerAPIFaults(Dictionary(uniqueKeysWithValues: shares.map { ($0, Percentage(basisPoints: $1) ?? .zero) }))
        )
        let reconciler = try await RunningReconciler(installation, try installation.configuration())
        let last = try #require(try await installation.wait(for: .statuses) { $0.last != nil }.last)
        #expect(last.counts.swept == 20)
        #expect(last.counts.differing == 4)
        #expect(last.counts.unknown == 0)
        #expect(last.counts.calls > 20)
        #expect(reconciler.metric("sluice_reconciler_failures_total{cause=\"api\"}") > 0)
        #expect(installation.api.busiestSecond(of: .getAllSubscriptionStatuses) <= 10)
        await reconciler.stop()
        await installation.stop()
    }

    @Test func `one subscription without an answer from Apple does not delay others, but an API without answers does`()
        async throws
    {
        let installation = try await ReconcilerInstallation()
        let purchases = purchases(8)
        try await installation.write(try purchases.map { try row($0, installation) })
        let signer = JWSSigner(installation.pki)
        let isDown = Atomic<Bool>(true)
        let server = try HistoryServer(
            statuses: { purchase in
                if isDown.load(ordering: .relaxed) || purchase == "1003" { return HistoryServer.error(500, 5_000_000) }
                if purchase == "1005" { return HistoryServer.error(400, 4_000_006) }
                return self.active(purchase, signer)
            },
            { _ in HistoryServer.page([]) })
        let reconciler = try await RunningReconciler(installation, try installation.configuration(url: server.url))
        let failing = try await installation.wait(for: .statuses) { $0.run?.failure != nil }
        #expect(failing.isRunning)
        #expect(failing.run?.counts.swept == 0)
        // Only the first subscriptions were queried.
        #expect(Set(server.purchases) == Set(purchases.prefix(StatusInquiry.unansweredInARow)))
        isDown.store(false, ordering: .relaxed)
        installation.clock.advance(by: .seconds(901))
        let last = try #require(try await installation.wait(for: .statuses) { $0.last != nil }.last)
        #expect(last.failure == nil)
        #expect(last.counts.swept == 8)
        // The first subscription is neither equal nor different. Apple reports the other one as unknown.
        #expect(last.counts.unknown == 1)
        #expect(last.differences.map(\.published.originalTransactionId.rawValue) == ["1005"])
        #expect(last.differences.map(\.kind) == [.unknown])
        await reconciler.stop()
        await server.stop()
        await installation.stop()
    }

    @Test func `a difference from a state that was read long ago is checked again`() async throws {
        let installation = try await ReconcilerInstallation()
        try await installation.write(try ["1000", "1001"].map { try row($0, installation) })
        let signer = JWSSigner(installation.pki)
        let isAsked = Atomic<Bool>(false)
        let isErased = DispatchSemaphore(value: 0)
        let clock = installation.clock
        let server = try HistoryServer(
            statuses: { purchase in
                guard purchase == "1000" else { return HistoryServer.error(404, 4_040_010) }
                isAsked.store(true, ordering: .relaxed)
                _ = isErased.wait(timeout: .now() + 20)
                clock.advance(by: .seconds(61))
                return self.active(purchase, signer)
            },
            { _ in HistoryServer.page([]) })
        let reconciler = try await RunningReconciler(installation, try installation.configuration(url: server.url))
        try await waitUntil { isAsked.load(ordering: .relaxed) }
        // Erase the purchase after the topic has been read, and before the purchase is queried.
        try await installation.write([
            KafkaProducerRecord(
                topic: installation.topics.entitlements(.production),
                key: Array("\(ReconcilerInstallation.app)/1001".utf8), value: nil)
        ])
        isErased.signal()
        let last = try #require(try await installation.wait(for: .statuses) { $0.last != nil }.last)
        #expect(server.purchases.contains("1001"))
        #expect(last.counts.swept == 2)
        #expect(last.counts.differing == 0)
        await reconciler.stop()
        await server.stop()
        await installation.stop()
    }

    @Test func `a refused key pauses the comparison, with the reason`() async throws {
        let installation = try await ReconcilerInstallation()
        try await installation.write([try row("1000", installation)])
        let server = try HistoryServer(statuses: { _ in (401, [:]) }, { _ in HistoryServer.page([]) })
        let reconciler = try await RunningReconciler(installation, try installation.configuration(url: server.url))
        let failing = try await installation.wait(for: .statuses) { $0.run?.failure != nil }
        #expect(failing.run?.failure?.message.contains("401") == true)
        // The history sweep is not delayed.
        try await installation.wait(for: .everything) { $0.last != nil }
        await reconciler.stop()
        await server.stop()
        await installation.stop()
    }

    @Test func `a long comparison does not delay the history sweep`() async throws {
        let installation = try await ReconcilerInstallation()
        try await installation.write([try row("1000", installation)])
        let signer = JWSSigner(installation.pki)
        let isAsked = Atomic<Bool>(false)
        let mayAnswer = Atomic<Bool>(false)
        let server = try HistoryServer(
            statuses: { purchase in
                isAsked.store(true, ordering: .relaxed)
                // Apple returns a retryable error until the history has been read.
                return mayAnswer.load(ordering: .relaxed)
                    ? self.active(purchase, signer) : HistoryServer.error(500, 5_000_001)
            },
            { _ in
                // The history does not respond before the comparison is in progress.
                isAsked.load(ordering: .relaxed)
                    ? HistoryServer.page([]) : HistoryServer.error(500, 5_000_001)
            })
        let reconciler = try await RunningReconciler(installation, try installation.configuration(url: server.url))
        try await waitUntil(within: .seconds(60)) {
            installation.clock.advance(by: .seconds(30))
            try await Task.sleep(for: .milliseconds(50))
            let sweeps = try await installation.sweeps()
            return sweeps["everything"]?.last != nil && sweeps["failures"]?.last != nil
        }
        #expect(try await installation.sweeps()["statuses"]?.last == nil)
        mayAnswer.store(true, ordering: .relaxed)
        installation.clock.advance(by: .seconds(901))
        let last = try await installation.wait(for: .statuses) { $0.last != nil }.last
        #expect(last?.counts.swept == 1)
        #expect(last?.counts.differing == 0)
        await reconciler.stop()
        await server.stop()
        await installation.stop()
    }
}
