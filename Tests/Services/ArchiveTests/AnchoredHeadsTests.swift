import ArchiveLog
import Cryptography
import Foundation
import HTTPClient
import Kafka
import Lifecycle
import ObjectStorage
import ObjectStorageTestSupport
import PipelineRuntime
import PipelineTestSupport
import Telemetry
import TestSupport
import Testing
import TransparencyLog

@testable import Archive

/// The anchors' checkpoints of a log, read before its writer signs anything.
@Suite("Heads in anchors", .timeLimit(.minutes(3))) struct AnchoredHeadsTests {
    private let logger = Logger(label: "test", level: .error, format: .json, sink: MemoryLogSink())

    private func sizes(_ notes: [SignedNote]) throws -> [Int] {
        try notes.map { try Checkpoint(text: $0.text).size }.sorted()
    }

    @Test func `the second store is queried for its checkpoint and for copies of later ones`() async throws {
        let archive = try AnchoredArchive(key: .generate(.ed25519))
        let anchor = try DirectoryStore(path: "/anchor", creating: true, calls: SimulatedDisk())
        let names = archive.names
        for (count, size) in [(3, 3), (7, 10), (2, 12)] {
            try await archive.grow(by: count)
            let note = try #require(try await archive.store.read(names.checkpoint())).bytes
            if size == 3 { _ = try await anchor.replace(names.checkpoint(), note, expected: nil) }
            try await anchor.create(names.checkpoint(size: size), note)
        }
        let heads = AnchoredHeads(store: anchor, topic: nil, logger: logger)
        let notes = try await heads.notes(of: names, origin: AnchoredArchive.logOrigin, hasNote: true)
        #expect(try sizes(notes) == [3, 12])
    }

    @Test func `an unreachable second store is an error only for a host without a note`() async throws {
        let archive = try AnchoredArchive(key: .generate(.ed25519))
        let bucket = try SimulatedBucket().store(attempts: 1) { _ throws(HTTPClientError) in
            throw HTTPClientError(code: .connectionFailed, message: "injected")
        }
        let heads = AnchoredHeads(store: bucket, topic: nil, logger: logger)
        #expect(try await heads.notes(of: archive.names, origin: "o", hasNote: true).isEmpty)
        let error = await #expect(throws: ArchiveServiceError.self) {
            _ = try await heads.notes(of: archive.names, origin: "o", hasNote: false)
        }
        #expect(error?.description.contains("archive.anchor.url") == true)
    }

    @Test func `a new host does not create a log that the topic of checkpoints contains`() async throws {
        let installation = try await ArchiveInstallation(partitions: 1)
        try await installation.kafka.write((0..<10).map { installation.notification($0, of: $0) })
        var service = try await installation.start(["--archive.anchor.interval", "1s"])
        try await installation.waitForLeaves(10, service)
        let isAnchored = await eventually { service.metric("sluice_archive_anchored_total") >= 1 }
        try #require(isAnchored)
        await service.stop()
        for file in ["archive", "keys.sqlite"] {
            try FileManager.default.removeItem(atPath: installation.directory.file(file))
        }
        // The group has no committed offsets.
        service = try await installation.start(["--archive.group.id", "another"])
        #expect(await service.end() == .configuration)
        #expect(service.log.lines.contains { $0.contains("an anchor already holds a checkpoint of") })
        await installation.stop()
    }

    @Test func `an archive whose checkpoint log is shorter than in an anchor is rejected`() async throws {
        let archive = try AnchoredArchive(key: .generate(.ed25519))
        let anchor = try DirectoryStore(path: "/anchor", creating: true, calls: SimulatedDisk())
        let empty = try DirectoryStore(path: "/empty", creating: true, calls: SimulatedDisk())
        let names = try LogNames.checkpointLog()
        var writer = try await CheckpointLogWriter.open(anchor, signer: archive.signer, at: 1_800_000_000)
        let root = try Checkpoint(text: writer.checkpoint.text).root
        try await writer.append(
            [try Checkpoint(origin: AnchoredArchive.logOrigin, size: 5, root: root)], at: 1_800_000_060)
        let log = AnchoredCheckpointLog(
            store: archive.store, signer: archive.signer,
            anchors: AnchoredHeads(store: anchor, topic: nil, logger: logger))
        let error = await #expect(throws: ArchiveError.self) { try await log.check(hasNote: true) }
        #expect(error?.code == .beginRefused)
        #expect(error?.message.contains("\(names.prefix) is not in the archive") == true)
        // The archive has the log, but the anchors have no checkpoint of it.
        for store in [anchor, empty] {
            let known = AnchoredHeads(store: store, topic: nil, logger: logger)
            try await AnchoredCheckpointLog(store: anchor, signer: archive.signer, anchors: known).check(hasNote: false)
        }
    }
}
