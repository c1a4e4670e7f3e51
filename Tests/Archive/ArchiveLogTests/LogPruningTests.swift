import ArchiveLog
import Cryptography
import KafkaModel
import ObjectStorage
import TestSupport
import Testing
import TransparencyLog

/// Deletion of payloads after their retention: one run announces it, and a later run carries it out.
struct LogPruningTests {
    private static let day = LogPruning.minimumDelay
    private static let cutoff = SampleArchive.start + 1_000_000

    private final class Archive {
        let store = MemoryStore()
        let sample: SampleArchive
        let size: Int
        var announced: [LogPruning.Plan] = []
        var kept: Set<Int64> = []

        init(leaves: Int) async throws {
            sample = try SampleArchive(store: store)
            size = leaves
            try await sample.write([leaves])
        }

        @discardableResult
        func run(cutoff: Int64 = LogPruningTests.cutoff, at now: Int64) async throws -> Int {
            try await LogPruning(store, names: sample.names(), signer: sample.signer).run(
                LogPruning.Inputs(cutoff: cutoff, now: now, size: size),
                announce: { announced.append($0) },
                decide: { [kept] leaves in
                    leaves.contains { kept.contains($0.position.offset.rawValue) } ? .keep : .delete
                }
            ).deleted
        }

        func hasSegment(_ number: String) -> Bool {
            store.objects["appstore.notifications/0/segments/\(number)"] != nil
        }
    }

    @Test func `a segment is deleted a day after a run announced it, and not before`() async throws {
        let archive = try await Archive(leaves: 600)
        #expect(try await archive.run(at: 0) == 0)
        #expect(archive.announced.map(\.announced?.minimum) == [512])
        #expect(try await archive.run(at: Self.day - 1) == 0)
        #expect(archive.hasSegment("000"))
        #expect(try await archive.sample.verify().findings.isEmpty)
        #expect(try await archive.run(at: Self.day) == 2)
        #expect(archive.announced.map(\.minimum) == [0, 512])
        #expect(!archive.hasSegment("000") && !archive.hasSegment("001"))
        #expect(try await archive.sample.verify().findings.isEmpty)
    }

    @Test func `an announcement by a fast clock is withdrawn when the clock is correct again`() async throws {
        let archive = try await Archive(leaves: 600)
        try await archive.run(at: 0)
        let right = SampleArchive.start
        #expect(try await archive.run(cutoff: right, at: 2 * Self.day) == 0)
        #expect(archive.announced.last?.announced == nil)
        #expect(try await archive.run(cutoff: right, at: 3 * Self.day) == 0)
        #expect(archive.hasSegment("000"))
    }

    @Test func `a clock that stays ahead deletes at most a tenth of the segments a day`() async throws {
        let archive = try await Archive(leaves: 400 * 256)
        try await archive.run(at: 0)
        #expect(try await archive.run(at: Self.day) == 40)
        // A tenth of the remaining segments.
        #expect(try await archive.run(at: 2 * Self.day) == 36)
    }

    @Test func `nothing is deleted or signed if the step cannot be published`() async throws {
        struct Unpublished: Error {}
        let archive = try await Archive(leaves: 600)
        try await archive.run(at: 0)
        let before = archive.store.objects
        await #expect(throws: ArchiveError.self) {
            _ = try await LogPruning(archive.store, names: archive.sample.names(), signer: archive.sample.signer).run(
                LogPruning.Inputs(cutoff: Self.cutoff, now: Self.day, size: 600),
                announce: { _ in throw Unpublished() },
                decide: { _ in .delete })
        }
        #expect(archive.store.objects == before)
    }

    @Test func `a segment that is kept is deleted by the first run after its hold`() async throws {
        let archive = try await Archive(leaves: 600)
        archive.kept = [100]
        try await archive.run(at: 0)
        #expect(try await archive.run(at: Self.day) == 1)
        #expect(archive.hasSegment("000") && !archive.hasSegment("001"))
        #expect(archive.announced.last?.kept == [0..<1] && archive.announced.last?.deletions == 1)
        #expect(try await archive.run(at: Self.day) == 0)
        #expect(archive.announced.count == 2, "a run that changes nothing must publish nothing")
        archive.kept = []
        #expect(try await archive.run(at: Self.day + 1) == 1)
        #expect(archive.announced.last?.kept == [] && archive.announced.last?.deletions == 1)
        #expect(!archive.hasSegment("000"))
        #expect(try await archive.sample.verify().findings.isEmpty)
    }

    @Test func `a hold that begins while the step is published keeps its segment`() async throws {
        let archive = try await Archive(leaves: 600)
        try await archive.run(at: 0)
        var isHeld = false
        let pruning = try LogPruning(archive.store, names: archive.sample.names(), signer: archive.sample.signer)
        let deleted = try await pruning.run(
            LogPruning.Inputs(cutoff: Self.cutoff, now: Self.day, size: 600), announce: { _ in isHeld = true },
            decide: { leaves in isHeld && leaves.first?.position.offset == 0 ? .keep : .delete }
        ).deleted
        #expect(deleted == 1 && archive.hasSegment("000") && !archive.hasSegment("001"))
    }

    @Test func `a plan signs, deletes and announces nothing`() async throws {
        let archive = try await Archive(leaves: 600)
        let before = archive.store.objects
        let pruning = try LogPruning(archive.store, names: archive.sample.names(), signer: nil)
        let plan = try await pruning.plan(LogPruning.Inputs(cutoff: Self.cutoff, now: 7, size: 600))
        #expect(plan.announced == Retention.Announcement(minimum: 512, at: 7))
        #expect(archive.store.objects == before)
    }

    @Test func `the retention of the previous release is continued`() async throws {
        let archive = try await Archive(leaves: 600)
        let signer = archive.sample.signer
        let names = try archive.sample.names()
        let first = Retention(origin: names.origin(archive: SampleArchive.origin), minimum: 256)
        #expect(first.text == "sluice-archive/retention@v1\n\(first.origin)\nminimum 256\n")
        _ = try await archive.store.replace(names.retention(), signer.sign(first).bytes, expected: nil)
        try await archive.store.delete(names.segment(index: 0))
        try await archive.run(at: 0)
        #expect(archive.announced.map(\.before) == [256])
        #expect(try await archive.run(at: Self.day) == 1)
        #expect(try await archive.sample.verify().findings.isEmpty)
    }

    @Test(arguments: [
        "sluice-archive/retention@v2\na/b/0\nminimum 256\nannounced 256\nat 1\n",
        "sluice-archive/retention@v2\na/b/0\nminimum 256\nannounced 512\nat -1\n",
        "sluice-archive/retention@v2\na/b/0\nminimum 256\nannounced 512\n",
        "sluice-archive/retention@v1\na/b/0\nminimum 256\nannounced 512\nat 1\n",
        "sluice-archive/retention@v2\na/b/0\nminimum 256\nannounced 512\nat 1\n\n",
        "sluice-archive/retention@v2\na/b/0\nminimum 256\n",
    ]) func `a malformed retention is rejected`(text: String) {
        #expect(Retention(text: text) == nil)
    }

    @Test func `a retention with an announcement is parsed as it was encoded`() {
        let retention = Retention(origin: "a/b/0", minimum: 0, announced: .init(minimum: 256, at: 1_800_000_000_000))
        #expect(Retention(text: retention.text) == retention)
    }
}
