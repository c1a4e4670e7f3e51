import ArchiveKeys
import ArchiveLog
import Cryptography
import Kafka
import KafkaDevBroker
import ObjectStorage
import OperatorEventsTestSupport
import PipelineRuntime
import Primitives
import Records
import Synchronization
import Telemetry
import TestSupport
import Testing
import TransparencyLog

@testable import Archive

/// The handler with one partition, called the way the runtime calls it.
@Suite("Handler of the archive", .timeLimit(.minutes(1))) struct ArchiveHandlerTests {
    private static let place = KafkaTopicPartition(topic: "appstore.notifications.production", partition: 0)

    /// A clock that advances each time it is read, until it is set back.
    private final class Wall: Sendable {
        let milliseconds = Atomic<Int64>(1_900_000_000_000)

        var clocks: Clocks {
            Clocks(
                wallMilliseconds: { self.milliseconds.add(1_000, ordering: .relaxed).newValue },
                monotonicNanoseconds: Clocks.system.monotonicNanoseconds)
        }
    }

    private let wall = Wall()
    private let directory: TemporaryDirectory
    private let broker: DevBroker
    private let keys: KeyStore
    private let registry = MetricsRegistry()
    private let recorded = RecordedEvents()
    private let handler: ArchiveHandler

    init() throws {
        directory = try TemporaryDirectory()
        broker = try DevBroker(topics: [Self.place.topic: 1])
        let kafka = try KafkaConfiguration(bootstrapServers: broker.bootstrapServers, profile: .embedded)
        keys = try KeyStore(
            path: directory.file("keys.sqlite"),
            keys: KeyEncryptionKeys([
                KeyEncryptionKey(SecretKey(copying: [UInt8](repeating: 7, count: 32)), source: "test")
            ]), creation: .ifMissing)
        let topics = ArchivedTopics(TopicNames())
        let logger = Logger(label: "test", level: .error, format: .json, sink: MemoryLogSink())
        let store = try DirectoryStore(path: directory.file("archive"), creating: true)
        let signer = try CheckpointSigner(archive: "example.com/archive", keys: [PrivateKey.generate(.ed25519)])
        let anchors = AnchoredHeads(store: nil, topic: nil, logger: logger)
        handler = ArchiveHandler(
            logs: OpenLogs(),
            opener: LogOpener(
                store: store, signer: signer, heads: KeyStoreHeads(keys: keys), anchored: anchors,
                checkpointLog: AnchoredCheckpointLog(store: store, signer: signer, anchors: anchors), mayBegin: false,
                clusterId: "cluster", clocks: wall.clocks),
            sealer: RecordSealer(
                dataKeys: { [keys] in try keys.dataKeys(for: $0) }, topics: topics, clusterId: "cluster"),
            missed: MissedRecords(kafka: kafka, admin: try KafkaAdmin(kafka)), refused: RefusedLogs(), topics: topics,
            clocks: wall.clocks, metrics: ArchiveMetrics(registry, topics: topics.all.map(\.topic)),
            findings: ArchiveFindings(recorded.events), logger: logger,
            repeated: RateLimitedLogger(logger, perSecond: 1))
    }

    private func records(_ offsets: Range<Int64>, timestamp: Int64 = 1_700_000_000_000) -> [KafkaRecord] {
        offsets.map { offset in
            KafkaRecord(
                topic: Self.place.topic, partition: Self.place.partition, offset: KafkaOffset(rawValue: offset),
                timestampMilliseconds: timestamp + offset, key: Array("com.example.app/1".utf8), value: [1])
        }
    }

    /// Writes `count` records, so that the topic is longer than the archive.
    private func write(_ count: Int) async throws {
        let kafka = try KafkaConfiguration(bootstrapServers: broker.bootstrapServers, profile: .embedded)
        let producer = try KafkaProducer(kafka, topics: [Self.place.topic])
        for _ in 0..<count {
            _ = try await producer.send(
                KafkaProducerRecord(topic: Self.place.topic, key: nil, value: [1]), deadline: .seconds(20))
        }
        await producer.close(within: .seconds(5))
    }

    /// Archives ten records and revokes the partition.
    private func archiveTen() async throws {
        try await handler.partitionAssigned(Self.place, startingAt: 0)
        #expect(try await handler.append(records(0..<10)) == Array(repeating: .done, count: 10))
        try await handler.flush(Self.place)
        await handler.partitionReleased(Self.place)
    }

    @Test func `records at the offsets of other archived records are neither skipped nor dead-lettered`() async throws {
        try await write(20)
        try await archiveTen()
        try await handler.partitionAssigned(Self.place, startingAt: 0)
        let error = await #expect(throws: ArchiveFault.self) {
            _ = try await handler.append(records(0..<12, timestamp: 1_800_000_000_000))
        }
        #expect(error?.description.contains("recreated") == true)
        let again = try await handler.append(records(0..<12))
        #expect(again == Array(repeating: .skip("already_archived"), count: 10) + [.done, .done])
        await handler.partitionReleased(Self.place)
        await broker.stop()
    }

    @Test func `a topic that ends before the archive is detected as recreated`() async throws {
        try await write(4)
        try await archiveTen()
        let error = await #expect(throws: ArchiveServiceError.self) {
            try await handler.partitionAssigned(Self.place, startingAt: 0)
        }
        #expect(error?.description.contains("ends at offset 4, but its archive ends at 10") == true)
        await broker.stop()
    }

    @Test func `a missing log is not created if the group has already read its partition`() async throws {
        try await write(20)
        let error = await #expect(throws: ArchiveError.self) {
            try await handler.partitionAssigned(Self.place, startingAt: 7)
        }
        #expect(error?.code == .beginRefused)
        #expect(error?.message.contains("up to offset 7") == true)
        #expect(recorded.lines.count == 1)
        #expect(recorded.lines.first?.contains(#"{"reason":"begin_refused","#) == true)
        try await handler.partitionAssigned(Self.place, startingAt: 0)
        await handler.partitionReleased(Self.place)
        await broker.stop()
    }

    @Test func `offsets of dead-lettered records are recorded in the log, which is then incomplete`() async throws {
        try await write(20)
        try await handler.partitionAssigned(Self.place, startingAt: 0)
        _ = try await handler.append(records(0..<3) + records(7..<9))
        try await handler.flush(Self.place)
        let store = try DirectoryStore(path: directory.file("archive"), creating: false)
        let reader = LogReader(store, names: try LogNames(Self.place), verifiers: nil)
        let size = try #require(try await reader.checkpoint()).checkpoint.size
        #expect(size == 6)
        let leaf = try await reader.leaf(3, size: size).leaf
        #expect(leaf.position.kind == .gap && leaf.position.offset == 3)
        let content = try ArchiveObject.open(try await reader.object(3, size: size), of: leaf)
        #expect(content == .gap(ArchiveGap(nextOffset: 7, reason: .deadLettered)))
        // The clock is set back, which must not make the log invalid.
        wall.milliseconds.store(1_850_000_000_000, ordering: .relaxed)
        _ = try await handler.append(records(9..<10) + records(15..<16))
        try await handler.flush(Self.place)
        let report = try await ArchiveVerification(store, options: VerificationOptions()).run()
        #expect(report.findings.map(\.kind) == [.incomplete, .incomplete], "\(report.findings)")
        #expect(report.findings.first?.leaf == 3)
        await handler.partitionReleased(Self.place)
        await broker.stop()
    }

    /// Times never go back. After a jump of the clock all leaves have the time of the jump until it is past.
    @Test func `a log with a time ahead of the clock is reported with the difference`() async throws {
        try await write(30)
        try await archiveTen()
        #expect(secondsAhead == 0)
        wall.milliseconds.store(1_900_086_400_000, ordering: .relaxed)
        try await handler.partitionAssigned(Self.place, startingAt: 10)
        _ = try await handler.append(records(10..<20))
        try await handler.flush(Self.place)
        #expect(secondsAhead == 0, "a jump cannot be distinguished from the passing of time")
        wall.milliseconds.store(1_900_000_400_000, ordering: .relaxed)
        _ = try await handler.append(records(20..<30))
        try await handler.flush(Self.place)
        #expect(try #require(secondsAhead) > 86_000 - 60)
        await handler.partitionReleased(Self.place)
        await broker.stop()
    }

    private var secondsAhead: Double? {
        let series = "sluice_archive_time_ahead_seconds{topic=\"\(Self.place.topic)\"} "
        return String(decoding: registry.prometheusText(), as: UTF8.self).split(separator: "\n")
            .first { $0.hasPrefix(series) }.flatMap { Double($0.dropFirst(series.count)) }
    }

    @Test func `a second member cannot open a log until the first has released the partition`() async throws {
        try await write(20)
        try await handler.partitionAssigned(Self.place, startingAt: 0)
        let error = await #expect(throws: ArchiveError.self) {
            try await handler.partitionAssigned(Self.place, startingAt: 0)
        }
        #expect(error?.code == .locked)
        await handler.partitionReleased(Self.place)
        try await handler.partitionAssigned(Self.place, startingAt: 0)
        await handler.partitionReleased(Self.place)
        await broker.stop()
    }
}
