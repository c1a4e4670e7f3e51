import AppStoreModel
import ArchiveKeys
import ArchiveLog
import Foundation
import Kafka
import KafkaDevBroker
import Lifecycle
import ObjectStorage
import PipelineTestSupport
import Records
import Telemetry
import TestSupport
import Testing

@testable import Archive

/// Several hosts of one archive, each with its own key store.
@Suite("Keys of several hosts", .timeLimit(.minutes(3))) struct SharedKeysTests {
    private func subject(_ purchase: Int) -> ArchiveSubject {
        ArchiveSubject(.production, BundleId("com.example.app"), OriginalTransactionId("\(purchase)"))
    }

    private func decision(
        _ action: ErasureRecord.Action, _ purchase: Int, _ installation: ArchiveInstallation
    ) throws -> ErasureRecord {
        let keys = try installation.keys("host-0.sqlite")
        defer { keys.close() }
        return ErasureRecord(
            action: action, subject: try keys.mark(of: subject(purchase)), marks: keys.marksId, reason: "test",
            request: "", requestedAt: try #require(AppStoreInstant(rfc3339: "2026-10-01T00:00:00Z")))
    }

    /// Waits until a host has applied `count` decisions.
    private func waitForDecisions(_ count: Int, on host: Int, _ installation: ArchiveInstallation) async throws {
        try await waitUntil {
            let keys = try installation.keys("host-\(host).sqlite")
            defer { keys.close() }
            let counts = try keys.counts()
            return counts.erasedSubjects + counts.holds >= count
        }
    }

    @Test func `hosts that join, leave and start with empty key stores agree, even after a hold and two erasures`()
        async throws
    {
        let installation = try await ArchiveInstallation(partitions: 3)
        let topic = installation.topics.notifications(.production)
        var written = 0
        func write(_ count: Int) async throws {
            let numbers = written..<written + count
            try await installation.kafka.write(numbers.map { installation.notification($0, of: $0 % 6) })
            written += count
        }
        func archivedCount() async throws -> Int {
            var count = 0
            for partition in 0..<3 {
                let place = KafkaTopicPartition(
                    topic: topic, partition: KafkaPartition(rawValue: Int32(partition)))
                count += try await installation.entries(of: place, installation.store()).count
            }
            return count
        }
        func waitForArchive() async throws {
            let isThere = await eventually(within: .seconds(60)) { (try? await archivedCount()) == written }
            try #require(isThere)
        }
        var hosts = [try await installation.start(keyStore: "host-0.sqlite")]
        try await write(30)
        try await waitForArchive()
        // Two hosts with empty key stores join an archive with logs, and partitions move to them.
        for host in 1...2 { hosts.append(try await installation.start(keyStore: "host-\(host).sqlite")) }
        try await write(30)
        try await waitForArchive()
        try await installation.kafka.write(
            [
                try decision(.hold, 1, installation), try decision(.erase, 2, installation),
                try decision(.erase, 3, installation),
            ].map { $0.produced(to: installation.topics.erasures) })
        for host in 0...2 { try await waitForDecisions(3, on: host, installation) }
        // The first host stops, and the others take over its partitions.
        await hosts[0].stop()
        try await write(30)
        try await waitForArchive()
        for host in hosts.dropFirst() { await host.stop() }
        // All hosts stop. A host with an empty key store starts while the hosts that created the keys are down.
        let last = try await installation.start(keyStore: "host-3.sqlite")
        try await write(30)
        try await waitForArchive()
        await last.stop()

        try await compare(installation, topic, written)
        await installation.stop()
    }

    private func compare(_ installation: ArchiveInstallation, _ topic: KafkaTopic, _ written: Int) async throws {
        let newest = try await installation.archived(keyStore: "host-3.sqlite").filter { $0.key.topic == topic }
        let readable = newest.values.flatMap { $0 }.compactMap { $0.value.map { String(decoding: $0, as: UTF8.self) } }
        let expected = (0..<written).filter { ![2, 3].contains($0 % 6) }.map { #"{"number":\#($0)}"# }
        #expect(readable.sorted() == expected.sorted())
        let named = try await installation.inKafka(installation.topics.erasures).values.flatMap { $0 }
            .compactMap { try $0.value.map { try ErasureRecord(json: $0) } }.flatMap(\.keys)
        let stores = try (0...3).map { try installation.keys("host-\($0).sqlite") }
        defer { for store in stores { store.close() } }
        for partition in 0..<3 {
            let place = KafkaTopicPartition(topic: topic, partition: KafkaPartition(rawValue: Int32(partition)))
            let leaves = try await installation.entries(of: place, installation.store()).map(\.0)
            let held = try stores[3].status(of: stores[3].mark(of: subject(1))).keys
            for id in Set(try leaves.compactMap { try stores[3].keyId(of: $0) }) {
                let states = try stores.map { try $0.dataKey(id) }
                let isErased = named.contains(id)
                #expect(states.allSatisfy { $0.isUsable == !isErased && $0.isDestroyed == isErased })
                #expect(try stores.allSatisfy { try $0.mayPrune([id], hasHolds: true) == !held.contains(id) })
            }
        }
        // One key for each of the six purchases.
        #expect(try stores.map { try $0.counts().keys } == [4, 4, 4, 4])
    }

    @Test func `a key is in Kafka before the record that it encrypts is committed`() async throws {
        let installation = try await ArchiveInstallation(partitions: 1)
        let service = try await installation.start(keyStore: "host-0.sqlite")
        try await installation.kafka.write((0..<20).map { installation.notification($0, of: $0) })
        try await installation.waitForLeaves(20, service)
        await service.stop()
        let keys = try installation.keys("host-0.sqlite")
        let place = KafkaTopicPartition(topic: installation.topics.notifications(.production), partition: 0)
        let ids = try await installation.entries(of: place, installation.store()).compactMap {
            try keys.keyId(of: $0.0)
        }
        let inKafka = try await installation.inKafka(installation.topics.archiveKeys).values.flatMap { $0 }
            .compactMap(\.value).map { String(decoding: $0, as: UTF8.self) }
        for id in ids { #expect(inKafka.contains { $0.contains(id.hex) }) }
        #expect(try keys.duePublications(limit: 1).isEmpty)
        keys.close()
        await installation.stop()
    }

    @Test func `a lost key store is rebuilt from the topic`() async throws {
        let installation = try await ArchiveInstallation(partitions: 1)
        try await installation.kafka.write((0..<5).map { installation.notification($0, of: $0) })
        let service = try await installation.start(keyStore: "host-0.sqlite")
        try await installation.waitForLeaves(5, service)
        await service.stop()
        for suffix in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: installation.directory.file("host-0.sqlite\(suffix)"))
        }
        let again = try await installation.start(keyStore: "host-0.sqlite")
        try await waitUntil {
            guard let keys = try? installation.keys("host-0.sqlite") else { return false }
            defer { keys.close() }
            return try keys.counts().keys == 5
        }
        #expect(await again.stop() == .ok)
        let records = try await installation.archived(keyStore: "host-0.sqlite").values.flatMap { $0 }
        #expect(records.filter { $0.topic == installation.topics.notifications(.production) }.count == 5)
        await installation.stop()
    }
}

extension DataKeyState {
    fileprivate var isUsable: Bool {
        if case .usable = self { true } else { false }
    }

    fileprivate var isDestroyed: Bool {
        if case .destroyed = self { true } else { false }
    }
}
