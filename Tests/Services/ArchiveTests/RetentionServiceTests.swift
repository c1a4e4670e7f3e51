import AppStoreModel
import ArchiveKeys
import ArchiveLog
import Cryptography
import Foundation
import Kafka
import ObjectStorage
import OperatorEventsTestSupport
import PipelineTestSupport
import Primitives
import Records
import Synchronization
import Telemetry
import TestSupport
import Testing
import TransparencyLog

@testable import Archive

/// The payloads that `sluice-archive` deletes, and when it deletes them.
struct RetentionServiceTests {
    private static let day: Int64 = 86_400_000
    private static let start: Int64 = 1_800_000_000_000

    /// A member with logs of whole segments, and a clock set by the tests.
    private final class Member: Sendable {
        let directory: TemporaryDirectory
        let store: DirectoryStore
        let signer: CheckpointSigner
        let keys: KeyStore
        let logs = OpenLogs()
        let names = TopicNames()
        let published = Mutex<[RetentionRecord]>([])
        let clock = Mutex(RetentionServiceTests.start)
        let isPublishing = Mutex(true)
        let events: RecordedEvents
        let findings: ArchiveFindings

        init() throws {
            try initializeCryptography()
            events = RecordedEvents()
            findings = ArchiveFindings(events.events)
            directory = try TemporaryDirectory()
            let file = try directory.write(String(repeating: "5a", count: 32), to: "kek")
            keys = try KeyStore(
                path: directory.file("keys.sqlite"), keys: KeyEncryptionKeys(files: [file]), creation: .ifMissing)
            store = try DirectoryStore(path: directory.file("archive"), creating: true)
            signer = try CheckpointSigner(archive: "example.com/archive", keys: [PrivateKey.generate(.ed25519)])
        }

        struct NotPublished: Error {}

        func service() -> RetentionService {
            RetentionService(
                RetentionService.Parts(
                    store: store, signer: signer, keys: keys, logs: logs, topics: ArchivedTopics(names),
                    retention: 400 * RetentionServiceTests.day, interval: RetentionServiceTests.day,
                    clocks: Clocks(
                        wallMilliseconds: { self.clock.withLock { $0 } }, monotonicNanoseconds: { 0 }),
                    metrics: ArchiveMetrics(MetricsRegistry(), topics: ArchivedTopics(names).all.map(\.topic)),
                    findings: findings,
                    logger: Logger(label: "test", level: .error, format: .json, sink: MemoryLogSink())),
                publish: { record in
                    guard self.isPublishing.withLock({ $0 }) else { throw NotPublished() }
                    self.published.withLock { $0.append(record) }
                }, pause: {})
        }

        /// Runs the retention at an instant.
        func run(at milliseconds: Int64) async throws {
            clock.withLock { $0 = milliseconds }
            try await service().runOnce()
        }

        /// Writes a log of whole segments with records archived at the start, and leaves the log open.
        @discardableResult
        func write(
            _ topic: KafkaTopic, segments: Int, keyOf: (Int) throws -> ArchiveProtection = { _ in .plain },
            timestamp: Int64 = RetentionServiceTests.start
        ) async throws -> KafkaTopicPartition {
            let partition = KafkaTopicPartition(topic: topic, partition: 0)
            let kind = try #require(ArchivedTopic(topic, names: names)?.kind)
            var writer = try await LogWriter.open(
                store, names: LogNames(partition), signer: signer, at: Int(RetentionServiceTests.start / 1_000))
            for number in 0..<segments * 256 {
                let record = KafkaRecord(
                    topic: topic, partition: 0, offset: KafkaOffset(rawValue: Int64(number)),
                    timestampMilliseconds: timestamp, key: Array("k".utf8), value: [1])
                try writer.append(
                    ArchiveEntry(
                        record, kind: kind, clusterId: "c", archivedAtMilliseconds: RetentionServiceTests.start,
                        protection: try keyOf(number)))
            }
            try await writer.commit(at: Int(RetentionServiceTests.start / 1_000))
            logs.put(OpenLog(writer: writer, lock: NoLock()), for: partition)
            return partition
        }

        /// Adds a record with a later Kafka timestamp.
        func advance(_ timestamp: Int64) async throws {
            try await write(names.quarantine, segments: 1, timestamp: timestamp)
        }

        func key(of purchase: Int) throws -> ArchiveProtection {
            let subject = ArchiveSubject(.production, BundleId("com.example.app"), OriginalTransactionId("\(purchase)"))
            let request = DataKeyRequest(subject: subject, eventTimeMilliseconds: RetentionServiceTests.start)
            return try #require(try keys.dataKeys(for: [request]).first)
        }

        func hasSegment(_ index: Int, of partition: KafkaTopicPartition) async throws -> Bool {
            try await store.read(LogNames(partition).segment(index: index)) != nil
        }
    }

    private struct NoLock: ObjectStoreLock {
        func release() {}
    }

    @Test func `each step is published before it is carried out`() async throws {
        let member = try Member()
        let log = try await member.write(member.names.notifications(.production), segments: 2)
        let over = Self.start + 401 * Self.day
        try await member.advance(over + 2 * Self.day)
        member.isPublishing.withLock { $0 = false }
        for time in [over, over + Self.day] { try await member.run(at: time) }
        #expect(try await member.hasSegment(0, of: log))
        #expect(try await member.store.read(LogNames(log).retention()) == nil)
        member.isPublishing.withLock { $0 = true }
        try await member.run(at: over)
        #expect(try await member.hasSegment(0, of: log))
        try await member.run(at: over + Self.day)
        #expect(try await !member.hasSegment(0, of: log))
        let origin = "example.com/archive/appstore.notifications.production/0"
        let records = member.published.withLock { $0 }.filter { $0.origin == origin }
        #expect(records.map(\.action) == [.announce, .delete])
        #expect(records.map(\.minimum) == [0, 512])
        #expect(records.first?.announced == 512)
        #expect(records.first?.archivedBefore.millisecondsSince1970 == over - 400 * Self.day)
    }

    @Test func `a clock that is a year ahead deletes nothing while Kafka's newest record is current`()
        async throws
    {
        let member = try Member()
        let log = try await member.write(member.names.notifications(.production), segments: 2)
        for days in [500, 502, 504] as [Int64] { try await member.run(at: Self.start + days * Self.day) }
        #expect(try await member.hasSegment(0, of: log))
        #expect(member.published.withLock { $0.isEmpty })
    }

    @Test func `records of a producer with a clock ahead expire nothing`() async throws {
        let member = try Member()
        let log = try await member.write(member.names.notifications(.production), segments: 2)
        try await member.advance(Self.start + 10_000 * Self.day)
        for days in [0, 2, 4] as [Int64] { try await member.run(at: Self.start + days * Self.day) }
        #expect(try await member.hasSegment(0, of: log))
    }

    private static func unknownKey() throws -> ArchiveDataKey {
        let (id, secret) = try ArchiveKeyId.ofNewKey()
        let mask = ArchiveLeafMask(try HMACSHA256Key(SecretKey(copying: [UInt8](repeating: 5, count: 32))))
        return ArchiveDataKey(id: id, secret: secret, mask: mask)
    }

    @Test func `segments with a held record or an unknown key are kept, and others are deleted`() async throws {
        let member = try Member()
        let held = try member.key(of: 1)
        let unknown = ArchiveProtection.encrypted(try Self.unknownKey())
        let others = try member.key(of: 2)
        let subject = ArchiveSubject(.production, BundleId("com.example.app"), OriginalTransactionId("1"))
        let decision = { (action: ErasureRecord.Action) in
            ErasureRecord(
                action: action, subject: try member.keys.mark(of: subject), marks: member.keys.marksId, reason: "case",
                request: "8", requestedAt: AppStoreInstant(clampingMillisecondsSince1970: Self.start))
        }
        try member.keys.apply([decision(.hold)])
        let log = try await member.write(
            member.names.notifications(.production), segments: 3,
            keyOf: { $0 == 17 ? held : $0 == 300 ? unknown : others })
        let over = Self.start + 401 * Self.day
        try await member.advance(over + 9 * Self.day)
        for day in 0..<2 as Range<Int64> { try await member.run(at: over + day * Self.day) }
        #expect(try await member.hasSegment(0, of: log))
        #expect(try await member.hasSegment(1, of: log))
        #expect(try await !member.hasSegment(2, of: log))
        try member.keys.apply([decision(.release)])
        try await member.run(at: over + 3 * Self.day)
        #expect(try await !member.hasSegment(0, of: log))
        #expect(try await member.hasSegment(1, of: log))
        let steps = member.published.withLock { $0 }.filter { $0.origin.hasSuffix("\(log.topic)/0") }
        #expect(steps.map(\.action) == [.announce, .delete, .delete])
        #expect(steps.map(\.kept) == [[], [0..<2], [1..<2]], "names the kept segments, and the release of the hold")
        for step in steps { #expect(RetentionRecord(json: step.jsonText) == step) }
    }

    @Test func `payloads that cannot be deleted are one operator event until a run succeeds`() async throws {
        let member = try Member()
        let log = try await member.write(member.names.notifications(.production), segments: 1)
        let over = Self.start + 401 * Self.day
        try await member.advance(over + 4 * Self.day)
        for isPublishing in [false, true, false] {
            member.isPublishing.withLock { $0 = isPublishing }
            for _ in 0..<2 { try await member.run(at: isPublishing ? over : over + 2 * Self.day) }
        }
        let lines = member.events.lines.filter { $0.hasPrefix("archive.finding \(log) ") }
        #expect(lines.count == 2)
        #expect(lines.allSatisfy { $0.contains(#""reason":"retention_failed""#) })
    }

    @Test func `payloads that two runs should have deleted are overdue`() async throws {
        let member = try Member()
        let log = try await member.write(member.names.notifications(.production), segments: 40)
        // Two intervals and two delays between announcement and deletion, a day each, after 400 days.
        let expected = Self.start + 404 * Self.day
        try await member.advance(expected + 40 * Self.day)
        try await member.run(at: expected)
        #expect(member.events.lines.filter { $0.contains("retention_overdue") } == [])
        // A run announces at most sixteen of these segments.
        for day in 1...3 as ClosedRange<Int64> { try await member.run(at: expected + day * Self.day) }
        let lines = member.events.lines.filter { $0.hasPrefix("archive.finding \(log) ") }
        #expect(
            lines == [
                "archive.finding \(log) "
                    + #"{"reason":"retention_overdue","detail":"the oldest payload, of leaf 4096, expired at "#
                    + #"2028-02-19T08:00:00.000Z"}"#
            ])
        for day in 4...9 as ClosedRange<Int64> { try await member.run(at: expected + day * Self.day) }
        #expect(member.events.lines.filter { $0.hasPrefix("archive.finding \(log) ") }.count == 1)
    }

    @Test func `erasures and certificates are kept regardless of their age`() async throws {
        let member = try Member()
        let logs = [
            try await member.write(member.names.erasures, segments: 1),
            try await member.write(member.names.certificates, segments: 1),
        ]
        let over = Self.start + 4_000 * Self.day
        try await member.advance(over + 9 * Self.day)
        for day in 0..<3 as Range<Int64> { try await member.run(at: over + day * Self.day) }
        for log in logs { #expect(try await member.hasSegment(0, of: log)) }
    }
}
