import AppStoreModel
import ArchiveLog
import Foundation
import JSON
import Kafka
import KafkaDevBroker
import ObjectStorage
import PipelineTestSupport
import Records
import TestSupport
import Testing

/// `sluicectl archive verify` with sources outside the archive: Kafka's topics, the checkpoints in Kafka, and a second
/// store.
@Suite(.timeLimit(.minutes(5))) struct ArchiveAnchoredVerifyTests {
    /// An archive with all records of a topic, and the topic's broker.
    private struct Archived {
        let archive: TestArchive
        let broker: DevBroker
        let producer: KafkaProducer
        let kafka: KafkaConfiguration
        let place: LogNames
        let key: String

        init(records: Int) async throws {
            archive = try TestArchive(prefix: "anchored\(UUID().uuidString.lowercased().prefix(8))")
            let topic = archive.production
            broker = try DevBroker(topics: [topic: 1, archive.names.archiveCheckpoints: 1])
            kafka = try KafkaConfiguration(bootstrapServers: broker.bootstrapServers, profile: .embedded)
            producer = try KafkaProducer(kafka, topics: [topic, archive.names.archiveCheckpoints])
            place = try LogNames(KafkaTopicPartition(topic: topic, partition: 0))
            key = try archive.directory.write(try archive.signer.verifiers().text, to: "archive.pub")
            try await produce(records)
            try await append { _ in true }
        }

        func produce(_ count: Int) async throws {
            for number in 0..<count {
                _ = try await producer.send(archive.legacy(.didRenew, "\(number)"), deadline: .seconds(10))
            }
        }

        /// Archives the topic's records beyond the archive.
        ///
        /// - Parameter shift: the difference between the archived timestamps and Kafka's.
        func append(shiftedBy shift: Int64 = 0, _ isWanted: (KafkaRecord) -> Bool) async throws {
            var writer = try await LogWriter.open(
                archive.store, names: place, signer: archive.signer, at: Int(Signed.now / 1_000))
            let next = writer.lastLeaf.map { $0.position.offset.rawValue + 1 } ?? 0
            let records = try await kafka.records(of: [archive.production], partitions: 1)
            for record in records.sorted(by: { $0.offset < $1.offset })
            where record.offset.rawValue >= next && isWanted(record) {
                let archived = KafkaRecord(
                    topic: record.topic, partition: record.partition, offset: record.offset,
                    timestampMilliseconds: record.timestampMilliseconds.map { $0 + shift }, key: record.key,
                    value: record.value, headers: record.headers)
                try writer.append(
                    ArchiveEntry(
                        archived, kind: .notification, clusterId: "cluster", archivedAtMilliseconds: Signed.now,
                        protection: .plain))
            }
            try await writer.commit(at: Int(Signed.now / 1_000))
        }

        func checkpoint() async throws -> StoredObject {
            try #require(await archive.store.read(place.checkpoint()))
        }

        /// Copies the archive in its current state.
        func copy() throws -> String {
            let path = archive.directory.file("earlier")
            try FileManager.default.copyItem(atPath: archive.directory.file("archive"), toPath: path)
            return path
        }

        /// - Parameter copy: the path of a copy, or nil for the archive itself.
        func verify(_ flags: [String], copy: String? = nil) async -> (exitCode: Int32, printed: Printed) {
            await sluicectl(
                [
                    "archive", "verify", "--key", key, "--kafka.bootstrap.servers", broker.bootstrapServers,
                    "--archive.url", copy ?? archive.directory.file("archive"), "--topics.prefix", archive.names.prefix,
                ] + flags)
        }

        func stop() async {
            await producer.close(within: .seconds(5))
            await broker.stop()
        }
    }

    @Test func `records that Kafka still has are compared leaf by leaf, and one without a leaf is incomplete`()
        async throws
    {
        let archived = try await Archived(records: 20)
        let sound = await archived.verify(["--against-kafka"])
        #expect(sound.exitCode == 0, "\(sound.printed.output) \(sound.printed.complaints)")
        #expect(sound.printed.output.contains("20 records"))
        // Records that have not been archived yet are not findings.
        try await archived.produce(5)
        #expect(await archived.verify(["--against-kafka"]).exitCode == 0)
        try await archived.append { $0.offset != 22 }
        let incomplete = await archived.verify(["--against-kafka"])
        #expect(incomplete.exitCode == 3)
        #expect(incomplete.printed.output.contains("22"))
        await archived.stop()
    }

    @Test func `a leaf with another timestamp than in Kafka is tampered, even after many missing records`()
        async throws
    {
        let archived = try await Archived(records: 1)
        try await archived.produce(30)
        try await archived.append(shiftedBy: 1) { $0.offset == 30 }
        let (exitCode, printed) = await archived.verify(["--against-kafka"])
        #expect(exitCode == 2, "\(printed.output)")
        #expect(printed.output.contains("the record's timestamp in Kafka differs from the leaf's"))
        #expect(!printed.output.contains(" sound\n"), "\(printed.output)")
        let (_, json) = await archived.verify(["--against-kafka", "--output", "json"])
        let logs = try #require(try json.objects.first?["logs"]?.array).compactMap(\.object)
        #expect(logs.map { $0["ok"]?.bool } == [false])
        await archived.stop()
    }

    @Test func `an archive that was restored to an earlier state is detected by the checkpoints in Kafka`() async throws
    {
        let archived = try await Archived(records: 5)
        let earlier = try archived.copy()
        try await archived.produce(3)
        try await archived.append { _ in true }
        let anchored = try await archived.checkpoint()
        _ = try await archived.producer.send(
            KafkaProducerRecord(
                topic: archived.archive.names.archiveCheckpoints,
                key: Array(archived.place.origin(archive: TestArchive.origin).utf8), value: anchored.bytes),
            deadline: .seconds(10))
        // Any client with write access to the topic can write anything.
        _ = try await archived.producer.send(
            KafkaProducerRecord(
                topic: archived.archive.names.archiveCheckpoints, key: Array("nonsense".utf8), value: [1, 2, 3]),
            deadline: .seconds(10))
        let sound = await archived.verify(["--checkpoint-from", "topic"])
        #expect(sound.exitCode == 0, "\(sound.printed.output) \(sound.printed.complaints)")
        #expect(sound.printed.output.contains("consistent with 1 checkpoints from elsewhere"))
        #expect(await archived.verify([], copy: earlier).exitCode == 0)
        #expect(await archived.verify(["--checkpoint-from", "topic"], copy: earlier).exitCode == 4)
        #expect(await archived.verify(["--checkpoint-from", "/no/such/file"]).exitCode == 6)
        await archived.stop()
    }

    @Test func `an archive that was restored to an earlier state is detected by the second store's checkpoints`()
        async throws
    {
        let archived = try await Archived(records: 5)
        let earlier = try archived.copy()
        try await archived.produce(3)
        try await archived.append { _ in true }
        let anchored = try await archived.checkpoint()
        let path = archived.archive.directory.file("second")
        let second = try DirectoryStore(path: path, creating: true)
        _ = try await second.replace(archived.place.checkpoint(), anchored.bytes, expected: nil)
        let flags = ["--checkpoint-from", "store", "--archive.anchor.url", path]
        #expect(await archived.verify(flags).exitCode == 0)
        #expect(await archived.verify(flags, copy: earlier).exitCode == 4)
        let (exitCode, printed) = await archived.verify(["--checkpoint-from", "store"])
        #expect(exitCode == 6)
        #expect(printed.complaints.first?.contains("archive.anchor.url") == true)
        await archived.stop()
    }
}
