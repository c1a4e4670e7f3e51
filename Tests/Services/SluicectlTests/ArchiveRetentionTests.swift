import AppStoreModel
import AppStoreTestSupport
import ArchiveLog
import Foundation
import JSON
import Kafka
import ObjectStorage
import Records
import TestSupport
import Testing

@testable import Sluicectl

/// `sluicectl archive verify --retention` compares deletions with the archived retention records.
@Suite(.timeLimit(.minutes(2))) struct ArchiveRetentionTests {
    private static let day: Int64 = 86_400_000
    private static let start = Signed.now - 402 * day

    /// An archive with one full segment of expired notifications.
    private struct Archive {
        let archive: TestArchive
        let key: String

        init() async throws {
            archive = try TestArchive()
            key = try archive.directory.write(archive.signer.verifiers().text, to: "archive.pub")
            try await archive.write(
                (0..<300).map { archive.purchase("1", uuid: "uuid-\($0)") }, at: ArchiveRetentionTests.start)
        }

        /// Runs the retention, and archives its step if `isArchived` is true.
        func run(at now: Int64, isArchived: Bool = true) async throws {
            let names = try LogNames(KafkaTopicPartition(topic: archive.production, partition: 0))
            let topic = archive.names.erasures
            let origin = names.origin(archive: TestArchive.origin)
            var steps: [RetentionRecord] = []
            _ = try await LogPruning(archive.store, names: names, signer: archive.signer).run(
                LogPruning.Inputs(cutoff: now - 400 * ArchiveRetentionTests.day, now: now, size: 300),
                announce: { plan in
                    steps.append(
                        RetentionRecord(
                            action: plan.deletions > 0 ? .delete : .announce, origin: origin, minimum: plan.minimum,
                            announced: plan.announced?.minimum, kept: plan.kept,
                            archivedBefore: AppStoreInstant(
                                clampingMillisecondsSince1970: now - 400 * ArchiveRetentionTests.day),
                            at: AppStoreInstant(clampingMillisecondsSince1970: now)))
                }, decide: { _ in .delete })
            if isArchived { try await archive.write(steps.map { $0.produced(to: topic) }, at: now) }
        }

        func verify(_ flags: [String] = ["--retention", "400d"]) async -> (exitCode: Int32, printed: Printed) {
            await sluicectl(["archive", "verify", "--key", key] + flags + archive.place)
        }
    }

    @Test func `a deletion with archived records is intact, but not under a longer retention`() async throws {
        let archive = try await Archive()
        try await archive.run(at: Signed.now - Self.day)
        try await archive.run(at: Signed.now)
        let (code, printed) = await archive.verify()
        #expect(code == 0, "\(printed.output)")
        #expect(printed.output.contains("1 deleted segments have retention records"))
        let (_, json) = await archive.verify(["--retention", "400d", "--output", "json"])
        #expect(try json.objects.first?["deletedSegments"]?.integer == 1)
        let (longer, tampered) = await archive.verify(["--retention", "403d"])
        #expect(longer == 2)
        #expect(tampered.output.contains("instead of 403d"))
        #expect(await archive.verify([]).exitCode == 0, "nothing may be compared without the flag")
    }

    @Test func `a deletion without a record is incomplete, and one without an announcement is tampering`() async throws
    {
        let archive = try await Archive()
        try await archive.run(at: Signed.now - Self.day, isArchived: false)
        try await archive.run(at: Signed.now, isArchived: false)
        let (code, printed) = await archive.verify()
        #expect(code == 3)
        #expect(printed.output.contains("no archived retention record"))
        let other = try await Archive()
        try await other.run(at: Signed.now - Self.day, isArchived: false)
        try await other.run(at: Signed.now)
        #expect(await other.verify().exitCode == 2)
    }

    @Test(arguments: [
        ["--tree-only"], ["--from", "2026-01-01T00:00:00Z"], ["--resume-from", "f"], ["appstore.quarantine"],
    ])
    func `a run that does not cover everything cannot compare deletions`(flags: [String]) async throws {
        let archive = try await Archive()
        let (code, printed) = await archive.verify(["--retention", "400d"] + flags)
        #expect(code == 64)
        #expect(printed.complaints.last?.contains("retention") == true)
    }
}
