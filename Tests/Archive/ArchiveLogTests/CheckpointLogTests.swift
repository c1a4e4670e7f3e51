import ArchiveLog
import Cryptography
import Foundation
import KafkaModel
import ObjectStorage
import Synchronization
import TestSupport
import Testing
import TransparencyLog

@Suite("The checkpoint log") struct CheckpointLogTests {
    private static let first = "appstore.notifications/0"

    /// Creates two logs with leaves and an empty one. The checkpoint log has two checkpoints of each log with
    /// leaves.
    private static func archive(
        _ store: any ObjectStore = MemoryStore(), keys: [PrivateKey]? = nil
    ) async throws -> SampleArchive {
        let archive = try SampleArchive(store: store, keys: keys)
        let other = try archive.names("appstore.notifications", 1)
        try await archive.write([300])
        try await archive.write([20], to: other)
        try await archive.write([], to: archive.names("appstore.notifications", 2))
        try await archive.logCheckpoints()
        try await archive.write([10], at: 1_800_000_100)
        try await archive.write([5], to: other, at: 1_800_000_100)
        try await archive.logCheckpoints()
        return archive
    }

    @Test func `an intact checkpoint log is compared with the logs`() async throws {
        let archive = try await Self.archive()
        // The logs grow. The checkpoint log follows a minute later.
        try await archive.write([7], at: 1_800_000_200)
        let report = try await archive.verify()
        #expect(report.findings.isEmpty)
        #expect(report.checkpointLog?.leaves == 4 && report.checkpointLog?.checkpoints == 2)
        #expect(report.logs.map(\.loggedCheckpoints) == [2, 2, 0])
        #expect(report.logs.map(\.log.prefix.text).allSatisfy { $0.hasPrefix("appstore.notifications/") })
    }

    @Test func `a single log that shrinks or is removed is reported as rolled back without any anchor`() async throws {
        let store = MemoryStore()
        let archive = try await Self.archive(store)
        let whole = store.objects
        // The log's files are restored to the state of its first checkpoint.
        var rolledBack = whole
        rolledBack["\(Self.first)/checkpoint"] = whole["\(Self.first)/checkpoints/300"]
        rolledBack["\(Self.first)/checkpoints/310"] = nil
        let report = try await archive.verify(MemoryStore(rolledBack)) { $0.checksObjects = false }
        #expect(report.verdict == .rolledBack)
        #expect(report.findings.first?.message.contains("had 310 leaves") == true)
        let gone = whole.filter { !$0.key.hasPrefix(Self.first) }
        let missing = try await archive.verify(MemoryStore(gone))
        #expect(missing.verdict == .rolledBack)
        #expect(missing.findings.map { $0.object?.text } == [Self.first])
        // A log that was not selected is not reported as missing.
        let other = try archive.names("appstore.notifications", 1).partition
        let options = VerificationOptions(verifiers: try archive.verifiers)
        let asked = try await ArchiveVerification(MemoryStore(gone), options: options).run { $0 == other }
        #expect(asked.findings.isEmpty)
    }

    @Test func `a log with nothing but its directory is rolled back`() async throws {
        let directory = try TemporaryDirectory()
        let archive = try await Self.archive(DirectoryStore(path: directory.file("archive"), creating: true))
        #expect(try await archive.verify().findings.isEmpty)
        let log = directory.file("archive/\(Self.first)")
        try FileManager.default.removeItem(atPath: log)
        try FileManager.default.createDirectory(atPath: log, withIntermediateDirectories: false)
        #expect(try await archive.verify().verdict == .rolledBack)
    }

    @Test func `a log that differs from the checkpoint log is forked`() async throws {
        let key = try PrivateKey.generate(.ed25519)
        let (store, others) = (MemoryStore(), MemoryStore())
        let archive = try await Self.archive(store, keys: [key])
        let other = try SampleArchive(store: others, keys: [key])
        try await other.write([300], from: 1000)
        try await other.write([50])
        store.objects = store.objects.filter { !$0.key.hasPrefix(Self.first) }
        store.objects.merge(others.objects) { $1 }
        let report = try await archive.verify()
        #expect(report.verdict == .forked)
        #expect(report.findings.first?.leaf == 299)
    }

    @Test func `an anchor of the checkpoint log anchors every log that it covers, and no other`() async throws {
        let archive = try await Self.archive()
        let anchor = try await archive.logCheckpoints()
        let anchored = try await archive.verify { $0.anchors = try archive.anchors([anchor]) }
        #expect(anchored.findings.isEmpty && anchored.isAnchored)
        #expect(anchored.logs.map(\.anchoredSize) == [310, 25, nil])
        try await archive.write([3], to: archive.names("appstore.refunds"), kind: .refund)
        let young = try await archive.verify { $0.anchors = try archive.anchors([anchor]) }
        #expect(young.findings.map(\.kind) == [.unanchored] && !young.isAnchored)
        // The checkpoint is logged but not anchored yet.
        try await archive.logCheckpoints()
        #expect(try await archive.verify { $0.anchors = try archive.anchors([anchor]) }.verdict == .unanchored)
        #expect(try await archive.verify().findings.isEmpty)
    }

    @Test func `anchored checkpoints of single logs, as in the previous version, still anchor them`() async throws {
        let archive = try await Self.archive()
        var notes: [SignedNote] = []
        for names in try await LogReader.logs(in: archive.store) {
            let reader = LogReader(archive.store, names: names, verifiers: try archive.verifiers)
            notes.append(try #require(try await reader.checkpoint()).note)
        }
        let report = try await archive.verify { $0.anchors = try archive.anchors(notes) }
        #expect(report.findings.isEmpty && report.isAnchored && report.otherArchives.isEmpty)
    }

    @Test func `changes, removal and rollback of the checkpoint log are detected as for any log`() async throws {
        let store = MemoryStore()
        let archive = try await Self.archive(store)
        let earlier = store.objects
        try await archive.write([1], at: 1_800_000_300)
        let anchor = try await archive.logCheckpoints()
        let whole = store.objects
        let anchors = try archive.anchors([anchor])
        for name in whole.keys.sorted() where name.hasPrefix("checkpoint-log/") && !name.hasSuffix("/pending") {
            var changed = whole
            changed[name]?[(whole[name]?.count ?? 0) / 2] ^= 1
            let report = try await archive.verify(MemoryStore(changed))
            #expect(report.verdict == .tampered, "\(name)")
            #expect(report.findings.first?.object?.text == name, "\(name)")
        }
        let old = whole.filter { !$0.key.hasPrefix("checkpoint-log/") }
            .merging(earlier.filter { $0.key.hasPrefix("checkpoint-log/") }) { $1 }
        #expect(try await archive.verify(MemoryStore(old)) { $0.anchors = anchors }.verdict == .rolledBack)
        let gone = whole.filter { !$0.key.hasPrefix("checkpoint-log/") }
        #expect(try await archive.verify(MemoryStore(gone)) { $0.anchors = anchors }.verdict == .rolledBack)
        #expect(try await archive.verify(MemoryStore(gone)).findings.isEmpty)
    }

    @Test func `a leaf that is not a checkpoint is detected even if the key signed it`() {
        let text = "example.com/a/b/0\n5\n\(MerkleHash.leaf([1]).base64)\n"
        #expect(LoggedCheckpoints.isCheckpoint(Array(text.utf8)))
        for other in ["", text + "x\n", String(text.dropLast()), text.replacing("\n5\n", with: "\n0\n"), text + "\n"] {
            #expect(!LoggedCheckpoints.isCheckpoint(Array(other.utf8)), "\(other)")
        }
    }

    @Test func `many leaves fill tiles, and the log is continued at each tile boundary`() async throws {
        let archive = try SampleArchive()
        let origin = try archive.names().origin(archive: SampleArchive.origin)
        var size = 0
        for count in [1, 254, 1, 1, 256, 511, 3] {
            var writer = try await CheckpointLogWriter.open(archive.store, signer: archive.signer, at: 1_800_000_000)
            let leaves = try (0..<count).map { number in
                try Checkpoint(origin: origin, size: size + number + 1, root: .leaf([UInt8(number & 255)]))
            }
            try await writer.append(leaves, at: 1_800_000_000)
            size += count
            #expect(writer.size == size)
            let report = try await archive.verify()
            #expect(report.checkpointLog?.findings.isEmpty == true && report.checkpointLog?.leaves == size)
            // The archive's only log is missing.
            #expect(report.verdict == .rolledBack)
        }
    }

    @Test func `a writer that lost the log to another one is rejected and changes nothing`() async throws {
        let archive = try await Self.archive()
        let leaf = try Checkpoint(origin: "a", size: 1, root: .leaf([1]))
        var former = try await CheckpointLogWriter.open(archive.store, signer: archive.signer, at: 1_800_000_400)
        _ = try await archive.logCheckpoints()
        let error = await #expect(throws: ArchiveError.self) { try await former.append([leaf], at: 1_800_000_500) }
        #expect(error?.code == .otherWriter)
        #expect(try await archive.verify().findings.isEmpty)
    }

    /// Two writers on a store without locks. The first one pauses before each of its operations in turn.
    @Test func `a frozen writer that resumes cannot change the log of its successor`() async throws {
        let origin = "\(SampleArchive.origin)/appstore.notifications/0"
        @Sendable func leaves(_ count: Int, _ seed: UInt8) throws -> [Checkpoint] {
            try (0..<count).map { try Checkpoint(origin: origin, size: $0 + 1, root: .leaf([seed, UInt8($0 & 255)])) }
        }
        var (schedules, isLast) = (0, false)
        while !isLast {
            let memory = MemoryStore()
            let archive = try SampleArchive(store: memory)
            let before = try await CheckpointLogWriter.open(memory, signer: archive.signer, at: 1_800_000_000)
            var writer = before
            try await writer.append(leaves(250, 1), at: 1_800_000_000)
            let successorSize = Mutex<Int?>(nil)
            let store = InterruptedStore(memory, at: schedules) {
                guard
                    var successor = try? await CheckpointLogWriter.open(
                        memory, signer: archive.signer, at: 1_800_000_020),
                    (try? await successor.append(leaves(300, 2), at: 1_800_000_030)) != nil
                else { return }
                successorSize.withLock { $0 = successor.size }
            }
            var frozenSize: Int?
            if var frozen = try? await CheckpointLogWriter.open(store, signer: archive.signer, at: 1_800_000_010),
                (try? await frozen.append(leaves(100, 3), at: 1_800_000_011)) != nil
            {
                frozenSize = frozen.size
            }
            let report = try await archive.verify(memory)
            #expect(report.checkpointLog?.findings.isEmpty == true, "before operation \(schedules): \(report.findings)")
            isLast = !store.wasInterrupted
            if !isLast {
                let size = try #require(successorSize.withLock { $0 }, "before operation \(schedules)")
                // The commits of both are kept. The last writer to commit continues from the other's commit.
                #expect(
                    report.checkpointLog?.size == max(frozenSize ?? 0, size), "before operation \(schedules)")
            }
            schedules += 1
        }
        #expect(schedules > 20)
    }

    @Test func `the log is intact and can be continued after a process ended at any operation`() async throws {
        let origin = "\(SampleArchive.origin)/appstore.notifications/0"
        let leaves = try (0..<300).map { try Checkpoint(origin: origin, size: $0 + 1, root: .leaf([UInt8($0 & 255)])) }
        let recorder = RecordingStore()
        let archive = try SampleArchive(store: recorder)
        for part in [leaves[..<10], leaves[10..<200], leaves[200...]] {
            var writer = try await CheckpointLogWriter.open(recorder, signer: archive.signer, at: 1_800_000_000)
            try await writer.append(Array(part), at: 1_800_000_000)
        }
        for moment in 1...recorder.history.count {
            let memory = MemoryStore(recorder.objects(at: moment))
            let image = try await archive.verify(memory)
            #expect(image.checkpointLog?.findings.isEmpty != false, "\(moment): \(image.findings)")
            var writer = try await CheckpointLogWriter.open(memory, signer: archive.signer, at: 1_800_000_100)
            let size = writer.size
            #expect(size >= image.checkpointLog?.size ?? 0)
            try await writer.append(Array(leaves[..<5]), at: 1_800_000_100)
            let report = try await archive.verify(memory)
            #expect(report.checkpointLog?.findings.isEmpty == true, "\(moment): \(report.findings)")
            #expect(report.checkpointLog?.size == size + 5)
        }
    }

    @Test func `a partial or damaged checkpoint log is neither recreated nor continued`() async throws {
        let store = MemoryStore()
        let archive = try await Self.archive(store)
        let whole = store.objects
        func code(_ change: (inout [String: [UInt8]]) -> Void) async -> ArchiveError.Code? {
            var objects = whole
            change(&objects)
            let changed = MemoryStore(objects)
            let error = await #expect(throws: ArchiveError.self) {
                try await CheckpointLogWriter.open(changed, signer: archive.signer, at: 1_900_000_000)
            }
            return error?.code
        }
        #expect(await code { $0["checkpoint-log/pending"] = nil } == .checkpointMissing)
        #expect(await code { $0["checkpoint-log/pending"] = [1, 2] } == .damaged)
        #expect(await code { $0["checkpoint-log/pending"]?[60] ^= 1 } == .damaged)
        // A multiple of 256 close to `Int.max`.
        let far = await code { objects in
            let text = String(decoding: objects["checkpoint-log/pending"] ?? [], as: UTF8.self)
            objects["checkpoint-log/pending"] = Array(
                text.replacing("\nfirst 0\n", with: "\nfirst 9223372036854775552\n").utf8)
        }
        #expect(far == .damaged)
        #expect(await code { $0["checkpoint-log/tile/entries/000.p/4"]?[9] ^= 1 } == .damaged)
        let forger = try await Self.archive()
        let forged = try #require((forger.store as? MemoryStore)?.objects["checkpoint-log/pending"])
        #expect(await code { $0["checkpoint-log/pending"] = forged } == .unknownKey)
    }
}
