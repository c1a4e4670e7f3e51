import ArchiveLog
import Foundation
import KafkaModel
import ObjectStorage
import TestSupport
import Testing
import TransparencyLog

/// `tlog_reader.py` is written from the published formats alone, in another language, and shares no code with the archive.
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
    func `the tree, every tile and every checkpoint are what it computes`(counts: [Int]) async throws {
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

    @Test func `a proof holds, and for another entry it does not`() async throws {
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

    @Test func `a changed entry, and another key, are refused`() async throws {
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
