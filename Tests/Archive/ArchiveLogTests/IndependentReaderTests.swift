import ArchiveLog
import Cryptography
import Foundation
import KafkaModel
import ObjectStorage
import ObjectStorageTestSupport
import TestSupport
import Testing
import TransparencyLog

/// `tlog_reader.py` implements only the published formats, in another language, and shares no code with the archive.
@Suite("An independent reader of the archive", .enabled(if: Program.path(of: "python3") != nil, "needs python3"))
struct IndependentReaderTests {
    private struct Answer: Decodable {
        var error: String?
        var origin: String?
        var size: Int?
        var root: String?
        var tiles: Int?
        var checkpoints: Int?
        var index: Int?
        var images: Int?
        var signatures: [String]?
    }

    private let directory: TemporaryDirectory
    private let archive: SampleArchive

    init() throws {
        directory = try TemporaryDirectory()
        archive = try SampleArchive(store: DirectoryStore(path: directory.file("archive"), creating: true))
    }

    private func read(_ arguments: [String]) async throws -> (isGood: Bool, answer: Answer) {
        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "tlog_reader.py").path
        let (end, process) = try await ChildProcess.run(
            "tlog_reader", [try #require(Program.path(of: "python3")), script] + arguments, directory: directory.path,
            within: .seconds(120))
        let answer = try JSONDecoder().decode(Answer.self, from: Data(process.output.utf8))
        return (end == .exit(0), answer)
    }

    private func keys() throws -> [String] {
        try archive.verifiers.keys(of: archive.names().origin(archive: SampleArchive.origin)).map(\.text)
    }

    @Test(arguments: [[1], [255, 1], [256, 1, 2], [100, 100, 100, 100, 300]])
    func `the tree, every tile and every checkpoint match the reader's computation`(counts: [Int]) async throws {
        let writer = try await archive.write(counts)
        let (isGood, log) = try await read(["log", directory.file("archive/appstore.notifications/0")] + keys())
        #expect(isGood, "\(log.error ?? "")")
        let checkpoint = try Checkpoint(text: writer.checkpoint.text)
        #expect(log.origin == "archive.example.com/sluice/appstore.notifications/0")
        #expect(log.size == checkpoint.size)
        #expect(log.root == checkpoint.root.bytes.map { String(format: "%02x", $0) }.joined())
        #expect(log.checkpoints == counts.count)
        #expect(log.tiles == TilePath.partialTiles(ofSize: checkpoint.size).count + Self.fullTiles(checkpoint.size))
        #expect(
            log.signatures == [
                "archive.example.com/sluice/4", "archive.example.com/sluice/appstore.notifications/0/1",
            ])
    }

    private static func fullTiles(_ size: Int) -> Int {
        (0..<8).reduce(0) { $0 + TilePath.count(level: $1, size: size).full }
    }

    /// A process dies or loses power at each of its system calls, and the log is opened again.
    @Test func `after a crash and reopening only files of the checkpoint remain`()
        async throws
    {
        var generator = SeededGenerator(seed: 29)
        let key = try PrivateKey.generate(.ed25519)
        let ends: [Int64] = [2, 250, 258, 530]
        var count = 0
        // Every call is tested with `SLUICE_TEST_LONG`, otherwise every third one.
        let step = ProcessInfo.processInfo.environment["SLUICE_TEST_LONG"] == nil ? 3 : 1
        for number in stride(from: 1, through: .max, by: step) {
            let disk = SimulatedDisk()
            let calls = FaultyCalls(disk, [.init(nil, number: number, kills: true)])
            await Self.write(calls, key, ends)
            let image = number % 2 == 0 ? disk.afterDeath() : disk.afterPowerLoss(&generator)
            let store = try DirectoryStore(path: "/archive", creating: true, calls: image)
            let log = try WrittenLog(store, key: key)
            _ = try await log.open()
            try await store.synchronize()
            try export(image, to: "images/\(count)")
            count += 1
            if !calls.isDead { break }
        }
        let log = try WrittenLog(MemoryStore(), key: key)
        let keys = try log.signer.verifiers().keys(of: log.names.origin(archive: WrittenLog.archive)).map(\.text)
        let (isGood, answer) = try await read(["images", directory.file("images")] + keys)
        #expect(isGood, "\(answer.error ?? "")")
        #expect(answer.images == count && count > 100 / step)
    }

    private func export(_ disk: SimulatedDisk, to folder: String) throws {
        for (path, bytes) in disk.files {
            let file = URL(filePath: directory.file(folder) + path.dropFirst("/archive".count))
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(bytes).write(to: file)
        }
    }

    private static func write(_ calls: any FileCalls, _ key: PrivateKey, _ ends: [Int64]) async {
        do {
            let log = try WrittenLog(DirectoryStore(path: "/archive", creating: true, calls: calls), key: key)
            var writer = try await log.open()
            for end in ends {
                try WrittenLog.append(upTo: end, to: &writer)
                try await writer.commit(at: 0)
            }
        } catch {}
    }

    @Test(arguments: ["tile/0/000.p/9", "segments/001", "notes", "checkpoints/000"])
    func `a file that does not belong to the checkpoint is rejected`(name: String) async throws {
        try await archive.write([100, 5])
        let folder = directory.file("archive")
        try FileManager.default.createDirectory(atPath: directory.file("images"), withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: folder, toPath: directory.file("images/0"))
        #expect(try await read(["images", directory.file("images")] + keys()).isGood)
        _ = try directory.write(
            [UInt8](repeating: 1, count: 288), to: "images/0/appstore.notifications/0/\(name)")
        #expect(try await !read(["images", directory.file("images")] + keys()).isGood)
    }

    @Test func `a proof is valid for its entry and invalid for another`() async throws {
        try await archive.write([300])
        let names = try archive.names()
        let reader = LogReader(archive.store, names: names, verifiers: try archive.verifiers)
        let checkpoint = try #require(try await reader.checkpoint())
        let key = try #require(try keys().first)
        for index in [0, 255, 299] {
            let leaf = try await reader.leaf(index, size: 300)
            let proof = try await reader.proof(ofLeaf: index, in: checkpoint, extra: leaf.bytes)
            let file = try directory.write(proof.bytes, to: "\(index).tlog-proof")
            let (isGood, answer) = try await read(["proof", file, key])
            #expect(isGood && answer.index == index && answer.size == 300)
            #expect(try await !read(["proof", file, key, "0102"]).isGood)
        }
    }

    @Test func `a changed entry and another key are rejected`() async throws {
        try await archive.write([300])
        let folder = directory.file("archive/appstore.notifications/0")
        let other = try SampleArchive()
        let otherKeys = try other.verifiers.keys(of: archive.names().origin(archive: SampleArchive.origin)).map(\.text)
        #expect(try await !read(["log", folder] + otherKeys).isGood)
        let file = folder + "/tile/entries/000"
        var bytes = [UInt8](try Data(contentsOf: URL(filePath: file)))
        bytes[1000] ^= 1
        try FileManager.default.removeItem(atPath: file)
        try Data(bytes).write(to: URL(filePath: file))
        let (isGood, answer) = try await read(["log", folder] + keys())
        #expect(!isGood && answer.error?.contains("root") == true)
    }
}
