import AppStoreModel
import ArchiveKeys
import ArchiveLog
import Cryptography
import Kafka
import KafkaDevBroker
import Lifecycle
import PipelineTestSupport
import Telemetry
import TestSupport
import Testing

@testable import Archive

@Suite(.timeLimit(.minutes(2))) struct ErasureFollowerTests {
    private static let topic: KafkaTopic = "appstore.erasures"

    /// Two hosts with separate key stores, and the topic that both read.
    private final class Hosts {
        let broker: DevBroker
        let kafka: KafkaConfiguration
        let stores: [KeyStore]
        private let directory: TemporaryDirectory

        init() throws {
            broker = try DevBroker(topics: [topic: 1])
            kafka = try KafkaConfiguration(bootstrapServers: broker.bootstrapServers, profile: .embedded)
            let directory = try TemporaryDirectory()
            let keys = try KeyEncryptionKeys([
                KeyEncryptionKey(SecretKey(copying: [UInt8](repeating: 7, count: 32)), source: "test")
            ])
            stores = try (0..<2).map {
                try KeyStore(path: directory.file("keys-\($0).db"), keys: keys, creation: .ifMissing)
            }
            self.directory = directory
        }

        /// Returns a key of the purchase on a host.
        func key(_ purchase: Int, on host: Int) throws -> ArchiveKeyId {
            let request = DataKeyRequest(subject: Self.subject(purchase), eventTimeMilliseconds: 1_000)
            let made = try stores[host].dataKeys(for: [request])
            return try #require(made.first?.keyId)
        }

        static func subject(_ purchase: Int) -> ArchiveSubject {
            ArchiveSubject(.production, BundleId("com.example.app"), OriginalTransactionId("\(purchase)"))
        }

        func record(_ action: ErasureRecord.Action, _ purchase: Int, keys: [ArchiveKeyId] = []) throws -> ErasureRecord
        {
            ErasureRecord(
                action: action, subject: try stores[0].mark(of: Self.subject(purchase)), marks: stores[0].marksId,
                keys: keys, reason: "test", request: "",
                requestedAt: try #require(AppStoreInstant(millisecondsSince1970: 5_000)))
        }

        func write(_ records: [ErasureRecord]) async throws {
            try await kafka.write(records.map { $0.produced(to: topic) })
        }

        /// Starts the follower of a host as the executable does.
        func follow(_ host: Int) async throws -> RunningServices {
            try await RunningServices { [kafka, stores] logger, registry in
                [
                    ErasureFollower(
                        kafka: kafka, topic: topic, keys: stores[host], metrics: ErasureMetrics(registry),
                        logger: logger, pause: .milliseconds(10))
                ]
            }
        }

        func published() async throws -> [ErasureRecord] {
            try await kafka.records(of: [topic], partitions: 1).compactMap { record in
                try record.value.map { try ErasureRecord(json: $0) }
            }
        }
    }

    @Test func `existing records of the topic are applied before the startup completes`() async throws {
        let hosts = try Hosts()
        let key = try hosts.key(1, on: 0)
        try await hosts.write([try hosts.record(.erase, 1, keys: [key]), try hosts.record(.hold, 2)])
        let running = try await hosts.follow(0)
        try await waitUntil { running.log.lines.contains { $0.contains("hold_begun") } }
        #expect(try hosts.stores[0].dataKey(key).isDestroyed)
        #expect(try hosts.stores[0].counts().holds == 1)
        #expect(try hosts.stores[0].erasuresNextOffset == 2)
        await running.stop()
    }

    @Test func `every host applies later decisions and lists the keys that only it has`() async throws {
        let hosts = try Hosts()
        let (first, second) = (try hosts.key(1, on: 0), try hosts.key(1, on: 1))
        let running = [try await hosts.follow(0), try await hosts.follow(1)]
        try await hosts.write([try hosts.record(.erase, 1, keys: [first])])
        try await waitUntil {
            try hosts.stores[0].dataKey(first).isDestroyed && hosts.stores[1].dataKey(second).isDestroyed
        }
        // Both hosts have also read the second host's record, and publish nothing more.
        try await waitUntil { try hosts.stores.allSatisfy { try $0.erasuresNextOffset == 2 } }
        let published = try await hosts.published()
        #expect(published.map(\.keys) == [[first], [second]])
        #expect(published[1].subject == published[0].subject)
        #expect(published[1].requestedAt == published[0].requestedAt)
        for one in running { await one.stop() }
    }

    @Test func `records that cannot be applied are logged and counted, and do not block the rest`() async throws {
        let hosts = try Hosts()
        let key = try hosts.key(1, on: 0)
        var foreign = try hosts.record(.erase, 1)
        foreign.marks = "0011223344556677"
        try await hosts.kafka.write([
            KafkaProducerRecord(topic: Self.topic, key: [1], value: Array("{}".utf8)),
            KafkaProducerRecord(topic: Self.topic, key: [2], value: nil), foreign.produced(to: Self.topic),
            try hosts.record(.erase, 1, keys: [key]).produced(to: Self.topic),
        ])
        let running = try await hosts.follow(0)
        try await waitUntil { try hosts.stores[0].dataKey(key).isDestroyed }
        // The outcome is counted right after the key is destroyed.
        try await waitUntil { running.metric("sluice_archive_erasures_total{outcome=\"destroyed\"}") == 1 }
        #expect(running.metric("sluice_archive_erasures_total{outcome=\"refused\"}") == 2)
        #expect(running.log.lines.count { $0.contains("cannot be applied") } == 2)
        await running.stop()
    }

    @Test func `a recreated topic is read from its beginning`() async throws {
        let hosts = try Hosts()
        let key = try hosts.key(1, on: 0)
        try hosts.stores[0].apply([], nextOffset: 900)
        try await hosts.write([try hosts.record(.erase, 1, keys: [key])])
        let running = try await hosts.follow(0)
        try await waitUntil { try hosts.stores[0].dataKey(key).isDestroyed }
        #expect(try hosts.stores[0].erasuresNextOffset == 1)
        await running.stop()
    }
}

extension ArchiveProtection {
    fileprivate var keyId: ArchiveKeyId? {
        guard case .encrypted(let key) = self else { return nil }
        return key.id
    }
}

extension DataKeyState {
    fileprivate var isDestroyed: Bool {
        if case .destroyed = self { true } else { false }
    }
}
