import AppStoreModel
import Foundation
import JSON
import Kafka
import KafkaDevBroker
import Records
import TestSupport
import Testing

@testable import Sluicectl

/// `sluicectl archive replay`: writes archived records to Kafka again.
@Suite(.timeLimit(.minutes(5))) struct ArchiveReplayTests {
    /// An archive, and a cluster that has lost everything except its topics.
    private struct Harness {
        static let partitions: Int32 = 2
        let archive: TestArchive
        let broker: DevBroker
        let kafka: KafkaConfiguration
        let scratch: KafkaTopic

        init() throws {
            archive = try TestArchive(prefix: "again\(UUID().uuidString.lowercased().prefix(8))")
            scratch = KafkaTopic(rawValue: "\(archive.names.prefix).scratch")
            broker = try DevBroker(topics: [archive.production: Int(Self.partitions), scratch: Int(Self.partitions)])
            kafka = try KafkaConfiguration(bootstrapServers: broker.bootstrapServers, profile: .embedded)
        }

        func replay(
            _ flags: [String], of topic: KafkaTopic? = nil, interruption: AsyncStream<String> = AsyncStream { _ in }
        ) async -> (exitCode: Int32, printed: Printed) {
            await sluicectl(
                [
                    "archive", "replay", "--topic", (topic ?? archive.production).rawValue,
                    "--kafka.bootstrap.servers", broker.bootstrapServers, "--rate", "100000", "--author", "operator",
                ] + archive.flags + flags, interruption: interruption)
        }

        func records(_ topic: KafkaTopic) async throws -> [KafkaRecord] {
            let places = (0..<Self.partitions).map {
                (
                    KafkaTopicPartition(topic: topic, partition: KafkaPartition(rawValue: $0)),
                    KafkaOffset.beginning
                )
            }
            var all: [KafkaRecord] = []
            try await KafkaConsumer.readToEnd(
                kafka, from: Dictionary(uniqueKeysWithValues: places), within: .seconds(20)
            ) { all += $0 }
            return all
        }
    }

    @Test func `a lost topic is restored byte for byte, except for its origin`() async throws {
        let harness = try Harness()
        let archive = harness.archive
        let produced = [try archive.signed().record, archive.legacy(.refund, "7")]
        try await archive.write(produced)
        let (dry, printed) = await harness.replay([])
        #expect(dry == 1)
        #expect(printed.output.contains("2 ready"))
        #expect(printed.complaints.last?.contains("--yes") == true)
        #expect(try await harness.records(archive.production).isEmpty)

        let (code, done) = await harness.replay(["--yes", "--output", "json"])
        #expect(code == 0, "\(done.complaints)")
        #expect(try done.objects.last?["replayed"]?.integer == 2)
        let records = try await harness.records(archive.production)
        #expect(records.count == 2)
        for original in produced {
            let record = try #require(records.first { $0.key == original.key })
            #expect(record.value == original.value)
            #expect(record.headers.map(\.key) == original.headers.map(\.key))
            for (now, before) in zip(record.headers, original.headers) {
                #expect(now.value == (now.key == "ce_origin" ? Array("replay".utf8) : before.value))
            }
            #expect(record.partition == KafkaPartition(ofKey: original.key ?? [], partitions: Harness.partitions))
        }
        await harness.broker.stop()
    }

    @Test func `records that match the filters are replayed to another topic`() async throws {
        let harness = try Harness()
        let archive = harness.archive
        try await archive.write([
            archive.legacy(.didRenew, "1"), archive.legacy(.refund, "2"), archive.legacy(.didRenew, "3"),
        ])
        let (code, printed) = await harness.replay([
            "--to-topic", harness.scratch.rawValue, "--type", "DID_RENEW", "--from", "2026-11-01T00:01:00Z", "--yes",
        ])
        #expect(code == 0, "\(printed.complaints)")
        #expect(try await harness.records(harness.scratch).map { $0.headers.text(.id) } == ["v1-3"])
        #expect(try await harness.records(archive.production).isEmpty)
        await harness.broker.stop()
    }

    @Test func `an interrupted run reports where to resume, and resumes there, partition by partition`() async throws {
        let harness = try Harness()
        let archive = harness.archive
        try await archive.write((0..<3).map { archive.legacy(.didRenew, "\($0)") })
        try await archive.write((3..<6).map { archive.legacy(.didRenew, "\($0)") }, to: 1)
        let (code, printed) = await harness.replay(["--after", "0-1", "--yes"])
        #expect(code == 0, "\(printed.complaints)")
        #expect(
            Set(try await harness.records(archive.production).map { $0.headers.text(.id) })
                == ["v1-2", "v1-3", "v1-4", "v1-5"])
        let (rest, _) = await harness.replay(["--after", "1-1", "--yes", "--to-topic", harness.scratch.rawValue])
        #expect(rest == 0)
        #expect(try await harness.records(harness.scratch).map { $0.headers.text(.id) } == ["v1-5"])

        let (signals, interrupt) = AsyncStream.makeStream(of: String.self)
        interrupt.yield("SIGINT")
        interrupt.finish()
        // The signal may arrive at any time. The last printed line states where to resume.
        let (_, ended) = await harness.replay(
            ["--yes", "--output", "json", "--to-topic", harness.scratch.rawValue], interruption: signals)
        let last = try #require(try ended.objects.last)
        let replayed = last["replayed"]?.integer ?? 0
        let position = last["last"]?.string
        #expect(replayed == [nil: 0, "0-0": 1, "0-1": 2, "0-2": 3, "1-0": 4, "1-1": 5, "1-2": 6][position])
        await harness.broker.stop()
    }

    @Test(arguments: [
        (["--type", "DID_RENEW"], ["v1-1", "v1-3"]), (["--app", "com.example.app"], ["v1-1", "v1-2", "v1-3"]),
        (["--app", "com.example.other"], []), (["--environment", "production"], ["v1-1", "v1-2", "v1-3"]),
        (["--environment", "sandbox"], []), (["--type", "DID_RENEW", "--to", "2026-11-01T00:01:00Z"], ["v1-1"]),
    ])
    func `a filter selects the records as in sluicectl replay`(_ flags: [String], _ expected: [String]) async throws {
        let harness = try Harness()
        let archive = harness.archive
        try await archive.write([
            archive.legacy(.didRenew, "1"), archive.legacy(.refund, "2"), archive.legacy(.didRenew, "3"),
        ])
        let (code, printed) = await harness.replay(["--to-topic", harness.scratch.rawValue, "--yes"] + flags)
        #expect(code == 0, "\(printed.complaints)")
        #expect(try await harness.records(harness.scratch).compactMap { $0.headers.text(.id) }.sorted() == expected)
        await harness.broker.stop()
    }

    @Test func `a copy from an earlier replay is skipped unless it is requested`() async throws {
        let harness = try Harness()
        let archive = harness.archive
        var copy = archive.legacy(.didRenew, "1")
        copy.headers = copy.headers.map {
            $0.key == RecordHeaderName.origin.rawValue ? KafkaHeader(.origin, RecordOrigin.replay.rawValue) : $0
        }
        try await archive.write([archive.legacy(.didRenew, "1"), copy])
        let target = ["--to-topic", harness.scratch.rawValue, "--yes", "--output", "json"]
        let (code, printed) = await harness.replay(target)
        #expect(code == 1)
        let lines = try printed.objects
        #expect(lines.compactMap { $0["reason"]?.string } == ["copy"])
        #expect(lines.last?["replayed"]?.integer == 1 && lines.last?["left"]?.integer == 1)
        let (again, all) = await harness.replay(target + ["--again"])
        #expect(again == 0, "\(all.complaints)")
        #expect(try await harness.records(harness.scratch).count == 3)
        await harness.broker.stop()
    }

    @Test func `erased records are not replayed`() async throws {
        let harness = try Harness()
        let archive = harness.archive
        try await archive.write([archive.legacy(.didRenew, "1"), archive.legacy(.didRenew, "2")])
        try archive.erase("1")
        let (code, printed) = await harness.replay(["--yes"])
        #expect(code == 0, "\(printed.complaints)")
        #expect(try await harness.records(archive.production).map { $0.headers.text(.id) } == ["v1-2"])
        #expect(printed.complaints.contains("skipped: 1 erased"))
        await harness.broker.stop()
    }

    @Test func `a topic of states is replayed only with an explicit destination`() async throws {
        let harness = try Harness()
        let archive = harness.archive
        let refunds = archive.names.refunds(.production)
        let row = KafkaProducerRecord(
            topic: refunds, key: Array("com.example.app/1".utf8), value: Array("{}".utf8))
        try await archive.write([row])
        let (code, printed) = await harness.replay(["--yes"], of: refunds)
        #expect(code == 64)
        #expect(printed.complaints.first?.contains("--to-topic") == true)
        let (done, complaints) = await harness.replay(["--yes", "--to-topic", harness.scratch.rawValue], of: refunds)
        #expect(done == 0, "\(complaints.complaints)")
        #expect(try await harness.records(harness.scratch).map(\.value) == [row.value])
        await harness.broker.stop()
    }

    @Test func `a topic that does not exist is reported and not created`() async throws {
        let harness = try Harness()
        try await harness.archive.write([harness.archive.legacy(.didRenew, "1")])
        let (code, printed) = await harness.replay(["--yes", "--to-topic", "\(harness.archive.names.prefix).none"])
        #expect(code == 1)
        #expect(printed.complaints.last?.contains("does not exist") == true)
        await harness.broker.stop()
    }
}
