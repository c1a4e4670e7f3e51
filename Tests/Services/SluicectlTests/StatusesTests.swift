import AppStoreModel
import AppStoreSigning
import Cryptography
import EntitlementRules
import Foundation
import JSON
import Kafka
import KafkaDevBroker
import Primitives
import Reconciliation
import Records
import TestSupport
import Testing

@testable import Sluicectl

/// `sluicectl reconcile statuses` compares published subscriptions with Apple's statuses.
@Suite(.timeLimit(.minutes(5))) struct StatusesTests {
    private let names = TopicNames(prefix: "statuses\(UUID().uuidString.lowercased().prefix(8))")
    private let directory: TemporaryDirectory
    private let key: String

    init() throws {
        try initializeCryptography()
        directory = try TemporaryDirectory()
        key = try directory.write(try PrivateKey.generate(.p256).pem(), to: "key.p8")
    }

    // MARK: Rule

    private func published(
        entitled: Bool, _ transaction: String? = "1", state: String = "ACTIVE"
    ) -> PublishedSubscription {
        PublishedSubscription(
            OriginalTransactionId("1"), isEntitled: entitled, state: state,
            transactionId: transaction.map { TransactionId($0) })
    }

    @Test(
        arguments: [
            (true, SubscriptionStatus.active, nil), (true, .billingGracePeriod, nil), (true, .expired, .access),
            (true, .billingRetry, .access), (true, .revoked, .access), (false, .active, .access),
            (false, .billingGracePeriod, .access), (false, .expired, nil), (false, .billingRetry, nil),
            (false, .revoked, nil),
        ] as [(Bool, SubscriptionStatus, StatusDifference.Kind?)])
    func `access differs when only one side grants it`(
        isEntitled: Bool, status: SubscriptionStatus, kind: StatusDifference.Kind?
    ) {
        let difference = StatusDifference(
            published(entitled: isEntitled), status: status, latest: TransactionId("1"))
        #expect(difference?.kind == kind)
    }

    @Test func `equal access by another started transaction is a difference`() {
        let published = published(entitled: true)
        let other = StatusDifference(published, status: .active, latest: TransactionId("2"))
        #expect(other?.kind == .transaction)
        #expect(StatusDifference(published, status: .active, latest: nil) == nil)
        let ended = StatusDifference(
            self.published(entitled: false), status: .expired, latest: TransactionId("2"))
        #expect(ended == nil)
    }

    @Test func `a subscription unknown to Apple is a difference when its state is published`() {
        #expect(StatusDifference(published(entitled: true), status: nil, latest: nil)?.kind == .unknown)
        #expect(StatusDifference(published(entitled: false), status: nil, latest: nil)?.kind == .unknown)
        #expect(StatusDifference(published(entitled: false, nil), status: nil, latest: nil) == nil)
    }

    // MARK: Command

    private var topic: KafkaTopic { names.entitlements(.production) }

    /// Returns a row as published by sluice-entitlements with `legacy.trust=accept`.
    private func row(_ draft: TwinDraft) throws -> KafkaProducerRecord {
        let written = draft.produced(to: topic)
        let record = try NotificationRecord(key: written.key, value: written.value, headers: written.headers)
        let facts = try #require(
            PurchaseFacts(
                notification: record.notification, transaction: record.transaction,
                renewalInfo: record.renewalInfo, isSigned: record.trust == .signed))
        let rules = ProductRules(legacyTrust: LegacyTrustRules(others: .accept))
        let value = facts.published(at: TwinDraft.at(10), rules: rules).value
        return KafkaProducerRecord(topic: topic, key: Array("com.example.app/\(draft.purchase)".utf8), value: value)
    }

    private func write(_ rows: [KafkaProducerRecord], _ broker: DevBroker) async throws {
        let configuration = try KafkaConfiguration(bootstrapServers: broker.bootstrapServers, profile: .embedded)
        let producer = try KafkaProducer(configuration, topics: [topic])
        for row in rows { _ = try await producer.send(row, deadline: .seconds(10)) }
        await producer.close(within: .seconds(5))
    }

    private static func statuses(_ purchase: String, _ transaction: String, _ status: Int) throws -> String {
        let signed = try JWSSigner(Signed.pki.get()).sign(
            """
            {"transactionId":"\(transaction)","originalTransactionId":"\(purchase)","bundleId":"com.example.app",\
            "productId":"pro","type":"Auto-Renewable Subscription","purchaseDate":1793491200000,\
            "expiresDate":1796083200000,"environment":"Production","signedDate":1793491300000}
            """)
        return """
            {"environment":"Production","bundleId":"com.example.app","appAppleId":1234567890,"data":[\
            {"subscriptionGroupIdentifier":"1","lastTransactions":[{"status":\(status),\
            "originalTransactionId":"\(purchase)","signedTransactionInfo":"\(signed)"}]}]}
            """
    }

    /// - Parameter answers: Apple's responses about purchases; nil for the default ones.
    private func run(
        _ flags: [String], answers: @escaping @Sendable (String) -> (Int, String)? = { _ in nil }
    ) async throws -> (exitCode: Int32, printed: Printed, asked: [String]) {
        let broker = try DevBroker(topics: [topic: 2])
        func draft(_ purchase: String) -> TwinDraft {
            .sharedSecret(.subscribed, .initialBuy, at: 1).with {
                $0.purchase = purchase
                $0.transaction = purchase
            }
        }
        let erased = KafkaProducerRecord(topic: topic, key: Array("com.example.app/600".utf8), value: nil)
        try await write(
            try ["100", "200", "300", "500", "600"].map { try row(draft($0)) } + [
                row(draft("400").with { $0.trust = .signed }), erased,
            ], broker)
        let api = try FakeReadAPI { target in
            let id = target.split(separator: "/").last.map(String.init) ?? ""
            if let answer = answers(id) { return answer }
            switch id {
            case "100", "400": return (200, (try? Self.statuses(id, id, 1)) ?? "")
            case "200": return (200, (try? Self.statuses(id, id, 5)) ?? "")
            case "500": return (200, (try? Self.statuses(id, "501", 1)) ?? "")
            default: return (404, #"{"errorCode":4040010,"errorMessage":"Transaction id not found."}"#)
            }
        }
        let (exitCode, printed) = await sluicectl(
            [
                "reconcile", "statuses", "--kafka.bootstrap.servers", broker.bootstrapServers, "--topics.prefix",
                names.prefix, "--apps", "com.example.app:1234567890", "--root.certificates",
                try directory.signedFiles().root, "--appstore.api.issuer.id", "issuer", "--appstore.api.key.id", "key",
                "--appstore.api.key.file", key, "--appstore.api.url", api.url,
            ] + flags,
            // Requests at background priority are evenly spaced.
            monotonic: Clocks.system.monotonicNanoseconds)
        await api.stop()
        await broker.stop()
        return (exitCode, printed, api.seen)
    }

    @Test func `differences are listed as text, with exit code 1`() async throws {
        let (exitCode, printed, asked) = try await run([])
        #expect(exitCode == 1, "\(printed.complaints)")
        #expect(
            printed.output == """
                PURCHASE  DIFFERS IN   PUBLISHED  APPLE    TRANSACTION  LATEST
                200       access       ACTIVE     revoked  200          200
                300       unknown      ACTIVE     -        300          -
                500       transaction  ACTIVE     active   500          501

                4 subscriptions compared, 3 differ

                """)
        // Purchases with only signed notifications, and erased ones, are not queried.
        #expect(!asked.contains { $0.hasSuffix("/400") || $0.hasSuffix("/600") })
    }

    @Test func `the JSON output has the same differences`() async throws {
        let (exitCode, printed, asked) = try await run(["--all", "--output", "json"])
        #expect(exitCode == 1, "\(printed.complaints)")
        let object = try #require(try JSONValue(json: Array(printed.output.utf8.dropLast())).object)
        #expect(object["compared"] == 5 && object["failed"] == 0)
        #expect(
            object["differences"]?.array?.compactMap { $0.object?["difference"]?.string } == [
                "access", "unknown", "transaction",
            ])
        #expect(asked.contains { $0.hasSuffix("/400") })
    }

    @Test func `a refused request or answer does not end the comparison of other subscriptions`() async throws {
        let (exitCode, printed, _) = try await run(["--output", "json"]) { id in
            switch id {
            case "100": (400, #"{"errorCode":4000999,"errorMessage":"Something new."}"#)
            // This response has no signature.
            case "200":
                (
                    200,
                    (try? Self.statuses(id, id, 1).replacing(
                        "\"signedTransactionInfo\":\"ey", with: "\"signedTransactionInfo\":\"")) ?? ""
                )
            default: nil
            }
        }
        #expect(exitCode == 1)
        let object = try #require(try JSONValue(json: Array(printed.output.utf8.dropLast())).object)
        #expect(object["compared"] == 2 && object["failed"] == 2)
        #expect(
            object["differences"]?.array?.compactMap { $0.object?["originalTransactionId"]?.string } == ["300", "500"])
    }

    @Test func `the differences found so far are printed when Apple can no longer be queried`() async throws {
        let (exitCode, printed, asked) = try await run([]) { id in
            ["300", "500"].contains(id) ? (401, "Unauthenticated") : nil
        }
        #expect(exitCode != 0)
        #expect(printed.output.contains("2 subscriptions compared, 1 differ"))
        #expect(printed.output.contains("200       access"))
        #expect(printed.complaints.contains { $0.contains("401") })
        #expect(!asked.contains { $0.hasSuffix("/500") })
    }
}
