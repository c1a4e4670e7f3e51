import ArchiveLog
import Cryptography
import KafkaModel
import ObjectStorage
import Synchronization
import TestSupport
import Testing
import TransparencyLog

@Suite("Continuing a verification") struct ContinuedVerificationTests {
    private static let log = "appstore.notifications/0/"

    /// A log that was verified at 700 leaves and has grown since.
    private static func archive(
        _ store: MemoryStore
    ) async throws -> (archive: SampleArchive, before: AnchoredCheckpoints) {
        let archive = try SampleArchive(store: store)
        try await archive.write([300, 400])
        let first = try await archive.verify()
        #expect(first.findings.isEmpty)
        let before = try archive.anchors(first.checkpoints)
        try await archive.write([100, 800], at: 1_800_000_100)
        return (archive, before)
    }

    @Test func `previously verified leaves are not read again, and the others are counted`() async throws {
        let store = MemoryStore()
        let (archive, before) = try await Self.archive(store)
        let read = Mutex<[Int]>([])
        let report = try await archive.verify {
            $0.verifiedBefore = before
            $0.inspect = { object in
                read.withLock { $0.append(object.index) }
                return InspectionOutcome("read")
            }
        }
        #expect(report.findings.isEmpty)
        let log = try #require(report.logs.first)
        #expect(log.leavesBefore == 512 && log.leaves == 1600 - 512)
        #expect(read.withLock { $0.min() } == 512)
        // Verification needs neither of the first two bundles, only the tile above them.
        for name in [
            "tile/entries/000", "tile/entries/001", "tile/0/000", "tile/0/001", "segments/000", "segments/001",
        ] {
            store.objects[Self.log + name] = nil
        }
        #expect(try await archive.verify { $0.verifiedBefore = before }.findings.isEmpty)
        #expect(try await archive.verify().verdict == .tampered)
    }

    @Test func `the log of a topic that must be read completely is read from its first leaf`() async throws {
        let store = MemoryStore()
        let (archive, before) = try await Self.archive(store)
        store.objects[Self.log + "tile/entries/000"]?[100] ^= 1
        #expect(try await archive.verify { $0.verifiedBefore = before }.findings.isEmpty)
        let report = try await archive.verify {
            $0.verifiedBefore = before
            $0.topicsReadCompletely = ["appstore.notifications"]
        }
        #expect(report.verdict == .tampered)
        #expect(report.logs.map(\.leavesBefore) == [0])
    }

    @Test func `changes after the verified leaves, in tiles above them, and of copies are detected`() async throws {
        let store = MemoryStore()
        let (archive, before) = try await Self.archive(store)
        let whole = store.objects
        for name in [
            "tile/entries/003", "tile/0/004", "segments/002", "tile/1/000.p/6", "checkpoints/800", "checkpoint",
        ] {
            store.objects = whole
            store.objects[Self.log + name]?[(whole[Self.log + name]?.count ?? 0) / 3] ^= 1
            let report = try await archive.verify { $0.verifiedBefore = before }
            #expect(report.verdict == .tampered, "\(name)")
        }
        store.objects = whole
        store.objects[Self.log + "checkpoints/800"] = nil
        #expect(try await archive.verify { $0.verifiedBefore = before }.verdict == .tampered)
    }

    @Test func `a log that is shorter than before, missing, or replaced is rolled back or forked`() async throws {
        let key = try PrivateKey.generate(.ed25519)
        let store = MemoryStore()
        let archive = try SampleArchive(store: store, keys: [key])
        try await archive.write([300])
        let earlier = MemoryStore(store.objects)
        try await archive.write([400])
        let before = try archive.anchors(await archive.verify().checkpoints)
        #expect(try await archive.verify(earlier) { $0.verifiedBefore = before }.verdict == .rolledBack)
        #expect(try await archive.verify(MemoryStore()) { $0.verifiedBefore = before }.verdict == .rolledBack)
        let other = try SampleArchive(keys: [key])
        try await other.write([800], from: 1000)
        #expect(try await other.verify { $0.verifiedBefore = before }.verdict == .forked)
    }

    @Test func `an anchor with fewer leaves than were verified before is compared by a proof`() async throws {
        let key = try PrivateKey.generate(.ed25519)
        let archive = try SampleArchive(keys: [key])
        let anchor = try await archive.write([300]).checkpoint
        try await archive.write([400])
        let before = try archive.anchors(await archive.verify().checkpoints)
        let report = try await archive.verify {
            $0.verifiedBefore = before
            $0.anchors = try archive.anchors([anchor])
        }
        #expect(report.findings.isEmpty && report.isAnchored && report.logs.first?.anchoredSize == 300)
        let other = try SampleArchive(keys: [key])
        let forked = try await other.write([300], from: 7).checkpoint
        let against = try await archive.verify {
            $0.verifiedBefore = before
            $0.anchors = try archive.anchors([forked])
        }
        #expect(against.verdict == .forked)
    }

    @Test func `a verification continues with a checkpoint log too`() async throws {
        let archive = try SampleArchive()
        try await archive.write([600])
        try await archive.write([20], to: archive.names("appstore.notifications", 1))
        try await archive.logCheckpoints()
        let before = try archive.anchors(await archive.verify().checkpoints)
        try await archive.write([300], at: 1_800_000_100)
        let anchor = try await archive.logCheckpoints()
        let report = try await archive.verify {
            $0.verifiedBefore = before
            $0.anchors = try archive.anchors([anchor])
        }
        #expect(report.findings.isEmpty && report.isAnchored)
        #expect(report.logs.map(\.leavesBefore) == [512, 0] && report.checkpointLog?.leavesBefore == 0)
    }
}
