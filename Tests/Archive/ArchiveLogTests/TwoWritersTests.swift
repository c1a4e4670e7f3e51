import ArchiveLog
import Cryptography
import Foundation
import Kafka
import KafkaModel
import ObjectStorage
import ObjectStorageTestSupport
import Synchronization
import TestSupport
import Testing
import TransparencyLog

/// Two members that both consider themselves the owner of a partition with its log in a bucket. Each is suspended
/// before any of its requests while the other one commits, dies, or has requests that arrive late.
@Suite("Two writers of one log in a bucket", .timeLimit(.minutes(30))) struct TwoWritersTests {
    private let key: PrivateKey

    init() throws { key = try PrivateKey.generate(.ed25519) }

    /// 1,000 schedules with `SLUICE_TEST_LONG`, otherwise 20.
    static let seeds = 0..<(ProcessInfo.processInfo.environment["SLUICE_TEST_LONG"] != nil ? 1_000 : 20)

    @Test(arguments: seeds)
    func `no acknowledged record is lost, and no second history is signed`(seed: Int) async throws {
        let problems = try await problems(seed, hasLocks: false)
        #expect(problems.isEmpty, "\(problems)")
    }

    /// In a store with locks, objects are written under their names before their checkpoint. This bucket claims to have
    /// locks but has none.
    @Test func `writers that rely on missing locks of the bucket are detected`() async throws {
        for seed in 0..<40 {
            if try await !problems(seed, hasLocks: true).isEmpty { return }
        }
        Issue.record("the schedules revealed nothing")
    }

    /// Returns the faults revealed by a schedule.
    ///
    /// - Parameter hasLocks: whether the writers assume that the bucket has locks.
    private func problems(_ seed: Int, hasLocks: Bool) async throws -> [String] {
        let bucket = SimulatedBucket(pageLength: 1_000)
        _ = try await WrittenLog(bucket.store(), key: key).open()
        let schedule = RequestSchedule(bucket, clients: 3, seed: UInt64(seed))
        let acknowledged = AcknowledgedLeaves()
        let alarms = await withTaskGroup(of: [String].self) { group in
            for number in 0..<2 {
                group.addTask {
                    await Member(number: number, bucket: bucket, schedule: schedule, key: key, hasLocks: hasLocks)
                        .run(acknowledged)
                    return []
                }
            }
            group.addTask { await verifications(bucket, schedule) }
            return await group.reduce(into: []) { $0 += $1 }
        }
        schedule.sendLateRequests()
        return try await alarms.map { "beside the writers: \($0)" } + check(bucket, schedule, acknowledged)
    }

    /// Returns the findings of verifications that run between the writers' requests.
    private func verifications(_ bucket: SimulatedBucket, _ schedule: RequestSchedule) async -> [String] {
        defer { schedule.finish(client: 2) }
        var findings: [String] = []
        for _ in 0..<4 {
            guard let store = try? bucket.store(send: schedule.send(client: 2, incarnation: 0, isReader: true)),
                let log = try? WrittenLog(store, key: key), let verifiers = try? log.signer.verifiers()
            else { return ["no store"] }
            var options = VerificationOptions(verifiers: verifiers)
            // The schedule supports one request of a client at a time.
            options.window = 1
            do {
                findings += try await ArchiveVerification(store, options: options).run().findings.map { "\($0)" }
            } catch { findings.append("\(error)") }
        }
        return findings
    }

    private func check(
        _ bucket: SimulatedBucket, _ schedule: RequestSchedule, _ acknowledged: AcknowledgedLeaves
    ) async throws -> [String] {
        let log = try WrittenLog(try bucket.store(), key: key)
        do throws(ArchiveError) {
            var writer = try await LogWriter.open(
                log.store, names: log.names, signer: log.signer, at: 1_900_000_000, copyInterval: 0)
            try writer.append(Member.next(of: writer, salt: 9))
            try await writer.commit(at: 1_900_000_000)
        } catch { return ["the log is not continued: \(error)"] }
        var options = VerificationOptions(verifiers: try log.signer.verifiers())
        let anchors = try schedule.acceptedCheckpoints.map { try SignedNote(bytes: $0) }
        options.anchors = AnchoredCheckpoints(anchors, verifiers: options.verifiers)
        guard let report = try await ArchiveVerification(log.store, options: options).run().logs.first else {
            return ["no log"]
        }
        var problems = acknowledged.problems + report.findings.map { "\($0)" }
        if report.anchors != options.anchors?.count { problems.append("a second history") }
        let reader = LogReader(log.store, names: log.names, verifiers: nil)
        for (offset, leaf) in acknowledged.all where problems.isEmpty {
            guard offset < report.size, try await reader.leaf(offset, size: report.size).bytes == leaf else {
                problems.append("offset \(offset) was acknowledged and is not there")
                continue
            }
        }
        return problems
    }
}

/// Leaves with committed offsets.
private final class AcknowledgedLeaves: Sendable {
    private struct State {
        var leaves: [Int: [UInt8]] = [:]
        var problems: [String] = []
    }

    private let state = Mutex(State())

    var all: [Int: [UInt8]] { state.withLock { $0.leaves } }
    var problems: [String] { state.withLock { $0.problems } }

    func add(_ leaves: [Int: [UInt8]]) {
        state.withLock { state in
            for (offset, leaf) in leaves {
                if let other = state.leaves[offset], other != leaf {
                    state.problems.append("offset \(offset) was acknowledged as two records")
                }
                state.leaves[offset] = leaf
            }
        }
    }
}

/// A bucket that claims to have locks.
private struct TrustingStore: ObjectStore {
    let store: S3Store
    var hasLocks: Bool { true }

    func read(_ name: ObjectName) async throws(ObjectStoreError) -> StoredObject? { try await store.read(name) }
    func read(_ name: ObjectName, range: Range<Int>) async throws(ObjectStoreError) -> [UInt8]? {
        try await store.read(name, range: range)
    }
    func create(_ name: ObjectName, _ bytes: [UInt8]) async throws(ObjectStoreError) {
        try await store.create(name, bytes)
    }
    func replace(
        _ name: ObjectName, _ bytes: [UInt8], expected: ObjectVersion?
    ) async throws(ObjectStoreError) -> ObjectVersion {
        try await store.replace(name, bytes, expected: expected)
    }
    func delete(_ name: ObjectName) async throws(ObjectStoreError) { try await store.delete(name) }
    func list(_ prefix: ObjectName?, after: ObjectName?, limit: Int) async throws(ObjectStoreError) -> [ListedObject] {
        try await store.list(prefix, after: after, limit: limit)
    }
    func folders(in prefix: ObjectName?) async throws(ObjectStoreError) -> [ObjectName] {
        try await store.folders(in: prefix)
    }
    func synchronize() async throws(ObjectStoreError) {}
    func lock(_ prefix: ObjectName) async throws(ObjectStoreError) -> any ObjectStoreLock {
        try await store.lock(prefix)
    }
}

/// A process that reopens the log after each crash.
private struct Member: Sendable {
    let number: Int
    let bucket: SimulatedBucket
    let schedule: RequestSchedule
    let key: PrivateKey
    let hasLocks: Bool

    private static let incarnations = 4
    private static let widths = [1, 3, 44, 100, 256, 300]

    /// Returns the record of an offset as this member would archive it. The salt represents time and nonce.
    static func entry(_ offset: Int64, salt: Int64) throws -> ArchiveEntry {
        try ArchiveEntry(
            KafkaRecord(
                topic: WrittenLog.partition.topic, partition: WrittenLog.partition.partition,
                offset: KafkaOffset(rawValue: offset), timestampMilliseconds: 1_700_000_000_000 + offset,
                key: Array("key \(offset)".utf8), value: Array("value \(offset) of \(salt)".utf8)),
            kind: .certificate, clusterId: "cluster",
            archivedAtMilliseconds: 1_800_000_000_000 + offset * 10 + salt, protection: .plain)
    }

    /// Returns the record after the last one of a log.
    static func next(of writer: LogWriter, salt: Int64) throws(ArchiveError) -> ArchiveEntry {
        do {
            return try entry(writer.lastLeaf.map { $0.position.offset.rawValue + 1 } ?? 0, salt: salt)
        } catch { throw ArchiveError(.storage, "\(error)") }
    }

    func run(_ acknowledged: AcknowledgedLeaves) async {
        for incarnation in 0..<Self.incarnations { try? await live(incarnation, acknowledged) }
        schedule.finish(client: number)
    }

    private func live(_ incarnation: Int, _ acknowledged: AcknowledgedLeaves) async throws {
        let store = try bucket.store(attempts: 2, send: schedule.send(client: number, incarnation: incarnation))
        let log = try WrittenLog(hasLocks ? TrustingStore(store: store) : store, key: key)
        var opened: LogWriter?
        for _ in 0..<3 where opened == nil { opened = try? await log.open(at: 1_800_000_000) }
        guard var writer = opened else { return }
        for _ in 0..<4 {
            var leaves: [Int: [UInt8]] = [:]
            for _ in 0..<Self.widths[schedule.random(0..<Self.widths.count)] {
                let entry = try Self.next(of: writer, salt: Int64(number * 4 + incarnation % 4))
                try writer.append(entry)
                leaves[Int(entry.leaf.position.offset.rawValue)] = entry.leaf.bytes
            }
            try await commit(&writer)
            acknowledged.add(leaves)
        }
    }

    private func commit(_ writer: inout LogWriter) async throws {
        var failure: (any Error)?
        for _ in 0..<4 {
            do throws(ArchiveError) {
                return try await writer.commit(at: 1_800_000_000)
            } catch {
                failure = error
                if error.code == .otherWriter { break }
            }
        }
        if let failure { throw failure }
    }
}
