import AppStoreModel
import ArchiveKeys
import ArchiveLog
import Foundation
import Kafka
import KafkaDevBroker
import Lifecycle
import ObjectStorage
import PipelineRuntime
import PipelineTestSupport
import Records
import SQLite
import Telemetry
import TestSupport
import Testing

@testable import Archive

@Suite("Archive of an installation", .timeLimit(.minutes(3))) struct ArchiveServiceTests {
    private func compare(_ installation: ArchiveInstallation, _ topics: [KafkaTopic]) async throws {
        let archived = try await installation.archived()
        for topic in topics {
            let found = try await installation.inKafka(topic)
            #expect(archived.filter { $0.key.topic == topic } == found, "\(topic)")
        }
    }

    @Test func `every record of every topic is archived byte for byte`() async throws {
        let installation = try await ArchiveInstallation()
        let topics = installation.topics
        let other = [
            KafkaProducerRecord(
                topic: topics.quarantine, timestampMilliseconds: 1, key: nil, value: [0, 255, 10], headers: []),
            KafkaProducerRecord(topic: topics.certificates, key: Array("digest".utf8), value: Array("header".utf8)),
            KafkaProducerRecord(topic: topics.refunds(.sandbox), key: Array("com.example.app/7".utf8), value: nil),
            KafkaProducerRecord(
                topic: topics.notifications(.production).deadLetters(of: "sluice-refunds"),
                key: Array("com.example.app/8".utf8), value: Array("{".utf8),
                headers: [KafkaHeader(key: "sluice.dlq.reason", text: "unreadable")]),
        ]
        try await installation.kafka.write((0..<40).map { installation.notification($0, of: $0 % 7) } + other)
        let service = try await installation.start()
        try await installation.waitForLeaves(44, service)
        #expect(await service.stop() == .ok)
        try await compare(installation, Array(Set(other.map(\.topic))) + [topics.notifications(.production)])
        await installation.stop()
    }

    @Test func `a restarted member continues, and records that it reads again are not archived twice`() async throws {
        let installation = try await ArchiveInstallation()
        let topic = installation.topics.notifications(.production)
        var service = try await installation.start()
        try await installation.kafka.write((0..<10).map { installation.notification($0, of: $0) })
        try await installation.waitForLeaves(10, service)
        await service.stop()
        try await installation.kafka.write((10..<20).map { installation.notification($0, of: $0) })
        // A group with another name has no committed offsets, so it reads everything.
        service = try await installation.start(["--archive.group.id", "another"])
        try await installation.waitForLeaves(10, service)
        await service.stop()
        #expect(service.metric("sluice_archive_leaves_total") == 10)
        try await compare(installation, [topic])
        await installation.stop()
    }

    @Test func `a missing archive is not recreated unless the operator allows it`() async throws {
        let installation = try await ArchiveInstallation()
        let topic = installation.topics.notifications(.production)
        try await installation.kafka.write((0..<10).map { installation.notification($0, of: $0) })
        var service = try await installation.start()
        try await installation.waitForLeaves(10, service)
        await service.stop()
        // The archive is missing, as if its volume were not mounted.
        try FileManager.default.removeItem(atPath: installation.archive)
        service = try await installation.start()
        #expect(await service.end() == .configuration)
        #expect(service.log.lines.contains { $0.contains("archive.begin=true") })
        #expect(service.metric(#"sluice_archive_failures_total{reason="begin_refused"}"#) > 0)
        #expect(try await installation.archived().isEmpty)
        service = try await installation.start(["--archive.begin", "true"])
        try await installation.waitForLeaves(10, service)
        await service.stop()
        try await compare(installation, [topic])
        // The new log is valid from then on.
        service = try await installation.start()
        try await installation.kafka.write([installation.notification(10, of: 3)])
        try await installation.waitForLeaves(1, service)
        await service.stop()
        try await compare(installation, [topic])
        await installation.stop()
    }

    @Test func `an archive of another cluster is not continued`() async throws {
        let installation = try await ArchiveInstallation(partitions: 1)
        try await installation.kafka.write((0..<10).map { installation.notification($0, of: $0) })
        let first = try await installation.start()
        try await installation.waitForLeaves(10, first)
        await first.stop()
        let second = try await ArchiveInstallation(partitions: 1)
        try await second.kafka.write((0..<20).map { second.notification($0, of: $0) })
        try second.take(installation)
        let service = try await second.start()
        let isRefused = await eventually { service.log.lines.contains { $0.contains("belongs to cluster") } }
        #expect(isRefused)
        await service.stop()
        #expect(service.metric("sluice_archive_leaves_total") == 0)
        await second.stop()
        await installation.stop()
    }

    @Test func `on another cluster a new archive uses the same keys, and the old one stays readable`()
        async throws
    {
        let installation = try await ArchiveInstallation(partitions: 1)
        try await installation.kafka.write((0..<10).map { installation.notification($0, of: $0) })
        let first = try await installation.start()
        try await installation.waitForLeaves(10, first)
        await first.stop()
        let second = try await ArchiveInstallation(partitions: 1)
        // The topic contains copies of the same records, and new records of the same purchases.
        try await second.kafka.write((0..<20).map { second.notification($0, of: $0 % 10) })
        try second.take(installation)
        let (files, old) = (FileManager.default, second.directory.file("old"))
        try files.moveItem(atPath: second.archive, toPath: old)
        let service = try await second.start(["--archive.origin", "example.com/second"])
        try await second.waitForLeaves(20, service)
        await service.stop()
        try await compare(second, [second.topics.notifications(.production)])
        try files.moveItem(atPath: second.archive, toPath: second.directory.file("new"))
        try files.moveItem(atPath: old, toPath: second.archive)
        #expect(try await second.archived().values.flatMap { $0 }.count == 10)
        await second.stop()
        await installation.stop()
    }

    @Test func `records wait while the key store fails, and none is dead-lettered`() async throws {
        let installation = try await ArchiveInstallation(partitions: 1)
        let service = try await installation.start()
        try await installation.waitForKeys(service)
        let store = try Database(path: installation.directory.file("keys.sqlite"), access: .sharedWriter)
        try store.run("BEGIN EXCLUSIVE")
        try await installation.kafka.write((0..<5).map { installation.notification($0, of: $0) })
        let failed = await eventually(within: .seconds(60)) {
            service.metric(#"sluice_archive_failures_total{reason="key_store"}"#) > 0
        }
        #expect(failed)
        try store.run("COMMIT")
        store.close()
        try await installation.waitForLeaves(5, service)
        await service.stop()
        #expect(try await installation.inKafka(installation.topics.archiveDeadLetters).isEmpty)
        await installation.stop()
    }

    @Test func `a missing key store is not replaced by an empty one if Kafka has no keys`() async throws {
        let installation = try await ArchiveInstallation()
        try await installation.kafka.write([installation.notification(1, of: 1)])
        let service = try await installation.start()
        try await installation.waitForLeaves(1, service)
        await service.stop()
        // The keys topic of another cluster is empty, as after an upgrade from the previous version.
        let other = try await ArchiveInstallation()
        try other.take(installation)
        for file in ["keys.sqlite", "keys.sqlite-wal", "keys.sqlite-shm"] {
            try? FileManager.default.removeItem(atPath: other.directory.file(file))
        }
        // The second attempt is refused too.
        for _ in 0..<2 {
            let refused = try await other.start()
            let isSaid = await eventually {
                refused.log.lines.contains { $0.contains("archive.key.store") && $0.contains("restore the key store") }
            }
            #expect(isSaid, "\(refused.log.lines)")
            #expect(await refused.stop() != .ok)
        }
        await other.stop()
        await installation.stop()
    }

    @Test func `records of an erased purchase are archived without payload, and later ones with a new key`()
        async throws
    {
        let installation = try await ArchiveInstallation(partitions: 1)
        try await installation.kafka.write((0..<4).map { installation.notification($0, of: $0 % 2) })
        var service = try await installation.start()
        try await installation.waitForLeaves(4, service)
        await service.stop()
        let keys = try KeyStore(
            path: installation.directory.file("keys.sqlite"),
            keys: KeyEncryptionKeys(files: [installation.directory.file("kek")]))
        let mark = try keys.mark(
            of: ArchiveSubject(.production, BundleId("com.example.app"), OriginalTransactionId("1")))
        let record = ErasureRecord(
            action: .erase, subject: mark, marks: keys.marksId, reason: "request", request: "17",
            requestedAt: try #require(AppStoreInstant(rfc3339: "2026-10-01T00:00:00Z")))
        keys.close()
        service = try await installation.start()
        try await installation.kafka.write([record.produced(to: installation.topics.erasures)])
        let isDone = await eventually { service.metric(#"sluice_archive_erasures_total{outcome="destroyed"}"#) == 1 }
        #expect(isDone)
        // A copy of the same notification, as produced by a replay, and one that Apple signed later.
        var later = installation.notification(5, of: 1)
        later.headers[1] = KafkaHeader(.time, "2026-10-02T00:00:00.000Z")
        try await installation.kafka.write([installation.notification(1, of: 1), later])
        // The count includes the record of the erasure.
        try await installation.waitForLeaves(3, service)
        await service.stop()
        let values = try await installation.archived().filter {
            $0.key.topic == installation.topics.notifications(.production)
        }
        .values.flatMap { $0 }.compactMap { $0.value.map { String(decoding: $0, as: UTF8.self) } }
        #expect(values == [#"{"number":0}"#, #"{"number":2}"#, #"{"number":5}"#])
        #expect(service.metric("sluice_archive_erased_total") == 1)
        await installation.stop()
    }
}
