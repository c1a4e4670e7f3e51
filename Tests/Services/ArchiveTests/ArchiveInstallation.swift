import AppStoreModel
import ArchiveKeys
import ArchiveLog
import CommandLine
import Configuration
import Cryptography
import Foundation
import Kafka
import KafkaDevBroker
import ObjectStorage
import PipelineRuntime
import PipelineTestSupport
import Primitives
import Records
import Telemetry
import TestSupport
import Testing
import TransparencyLog

@testable import Archive

/// An embedded broker with the topics of one installation, and a directory for its archive.
final class ArchiveInstallation: Sendable {
    static let origin = "example.com/archive"

    let topics = TopicNames()
    let directory: TemporaryDirectory
    let broker: DevBroker
    let kafka: KafkaConfiguration
    let partitions: Int

    init(partitions: Int = 2) async throws {
        self.partitions = partitions
        directory = try TemporaryDirectory()
        broker = try DevBroker()
        kafka = try KafkaConfiguration(bootstrapServers: broker.bootstrapServers, profile: .embedded)
        for specification in topics.specifications(partitions: partitions) {
            try broker.createTopic(
                specification.name, partitions: specification.isKeyed ? partitions : specification.partitions)
        }
        try PrivateKey.generate(.ed25519).pem().write(toFile: directory.file("sign.pem"))
        try Array("0123456789abcdef0123456789abcdef".utf8).write(toFile: directory.file("kek"))
    }

    func stop() async { await broker.stop() }

    /// - Parameter keyStore: the file of the key store; each host has its own.
    func configuration(_ further: [String] = [], keyStore: String = "keys.sqlite") throws -> Configuration {
        let arguments = [
            "--kafka.bootstrap.servers", kafka.bootstrapServers, "--profile", "single-node", "--admin.port", "0",
            "--data.dir", directory.file("data-\(keyStore)"), "--archive.url", archive,
            "--archive.signing.key.file", directory.file("sign.pem"), "--archive.key.encryption.key.file",
            directory.file("kek"), "--archive.key.store", directory.file(keyStore), "--archive.flush.interval", "100ms",
        ]
        let origin = further.contains("--archive.origin") ? [] : ["--archive.origin", Self.origin]
        guard
            case .run(let invocation) = ArchiveApplication.application.command.parse(
                arguments + origin + further, environment: [:])
        else { throw NoConfiguration() }
        return invocation.configuration
    }

    struct NoConfiguration: Error {}

    var archive: String { directory.file("archive") }

    func store() throws -> any ObjectStore { try DirectoryStore(path: archive, creating: false) }

    func start(
        _ further: [String] = [], keyStore: String = "keys.sqlite"
    ) async throws -> RunningServices {
        let configuration = try configuration(further, keyStore: keyStore)
        return try await RunningServices { logger, registry in
            try await ArchiveApplication.application(
                clocks: .system, pause: { _ in try await Task.sleep(for: .milliseconds(100)) }
            ).services(configuration, logger: logger, metrics: registry)
        }
    }

    /// Takes over the archive of another installation, with its keys.
    func take(_ other: ArchiveInstallation) throws {
        try FileManager.default.copyItem(atPath: other.archive, toPath: archive)
        for file in ["keys.sqlite", "sign.pem", "kek"] {
            try? FileManager.default.removeItem(atPath: directory.file(file))
            try FileManager.default.copyItem(atPath: other.directory.file(file), toPath: directory.file(file))
        }
    }

    // MARK: Records

    /// Returns a record as the ingress writes it, with the content that the archive reads.
    func notification(_ number: Int, of purchase: Int) -> KafkaProducerRecord {
        KafkaProducerRecord(
            topic: topics.notifications(.production), timestampMilliseconds: 1_790_000_000_000 + Int64(number),
            key: Array("com.example.app/\(purchase)".utf8), value: Array(#"{"number":\#(number)}"#.utf8),
            headers: [
                KafkaHeader(.id, "notification-\(number)"), KafkaHeader(.time, "2026-09-01T00:00:00.000Z"),
                KafkaHeader(key: "empty", value: nil),
            ])
    }

    // MARK: Archived records

    /// Returns every record of the archive, decrypted, by partition in log order. Also checks the end of each log.
    func archived(keyStore: String = "keys.sqlite") async throws -> [KafkaTopicPartition: [KafkaRecord]] {
        let store = try store()
        let keys = try keys(keyStore)
        defer { keys.close() }
        var records: [KafkaTopicPartition: [KafkaRecord]] = [:]
        for place in try await logs(store) {
            for (leaf, object) in try await entries(of: place, store) {
                var secret: SecretKey?
                if let id = try keys.keyId(of: leaf) {
                    guard case .usable(let key) = try keys.dataKey(id) else { continue }
                    secret = key
                }
                guard case .record(let record) = try ArchiveObject.open(object, of: leaf, key: secret) else { continue }
                records[place, default: []].append(record.record(of: leaf))
            }
        }
        return records
    }

    /// Opens the key store of a host.
    func keys(_ file: String) throws -> KeyStore {
        try KeyStore(path: directory.file(file), keys: KeyEncryptionKeys(files: [directory.file("kek")]))
    }

    /// Returns the leaves of a log and their objects.
    func entries(
        of place: KafkaTopicPartition, _ store: any ObjectStore
    ) async throws -> [(ArchiveLeaf, [UInt8])] {
        let names = try LogNames(place)
        guard let found = try await store.read(names.checkpoint()) else { return [] }
        let size = try Checkpoint(text: SignedNote(bytes: found.bytes).text).size
        var all: [(ArchiveLeaf, [UInt8])] = []
        var first = 0
        while first < size {
            let index = first / TilePath.fullWidth
            let width = min(TilePath.fullWidth, size - first)
            guard let entries = try await store.read(names.tile(.entries(index: index, width: width))),
                let objects = try await store.read(names.segment(index: index, width: width))
            else {
                // A partial tile or segment that was replaced because the log has grown.
                let newer = try #require(await store.read(names.checkpoint()))
                try #require(newer.bytes != found.bytes)
                return try await self.entries(of: place, store)
            }
            let bundle = try EntryBundle(bytes: entries.bytes)
            let segment = objects.bytes
            for (number, range) in try ArchiveSegment.objects(in: segment).enumerated() {
                all.append((try ArchiveLeaf(bytes: Array(bundle[number])), Array(segment[range])))
            }
            first += width
        }
        return all
    }

    private func logs(_ store: any ObjectStore) async throws -> [KafkaTopicPartition] {
        var logs: [KafkaTopicPartition] = []
        for topic in try await store.folders(in: nil) {
            for log in try await store.folders(in: topic) { logs += LogNames(folder: log).map { [$0.partition] } ?? [] }
        }
        return logs
    }

    /// Returns all records of a topic from Kafka.
    func inKafka(_ topic: KafkaTopic) async throws -> [KafkaTopicPartition: [KafkaRecord]] {
        let count = topics.specifications(partitions: partitions).first { $0.name == topic }?.partitions ?? 1
        return Dictionary(
            grouping: try await kafka.records(of: [topic], partitions: Int32(count)), by: \.topicPartition)
    }

    /// Waits until a new service has published its pseudonym key. Its startup is then complete, except for the
    /// erasures.
    func waitForKeys(_ service: RunningServices) async throws {
        let isThere = await eventually {
            service.metric(#"sluice_archive_key_records_total{outcome="applied"}"#) >= 1
        }
        try #require(isThere, "\(service.log.lines.suffix(8).joined(separator: "\n"))")
    }

    /// Waits until a checkpoint covers at least `count` leaves.
    func waitForLeaves(_ count: Int, _ service: RunningServices) async throws {
        let isThere = await eventually(within: .seconds(30)) {
            service.metric("sluice_archive_leaves_total") >= Double(count)
        }
        try #require(isThere, "\(service.log.lines.suffix(8).joined(separator: "\n"))")
    }
}

extension [UInt8] {
    func write(toFile path: String) throws { try Data(self).write(to: URL(fileURLWithPath: path)) }
}
