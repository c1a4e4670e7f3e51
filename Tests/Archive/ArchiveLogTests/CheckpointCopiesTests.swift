import ArchiveLog
import Cryptography
import ObjectStorage
import ObjectStorageTestSupport
import Testing
import TransparencyLog

/// Retained copies of a log's checkpoints, and the cost of opening a log with many copies.
@Suite("Copies of checkpoints") struct CheckpointCopiesTests {
    private let key: PrivateKey
    private let store = MemoryStore()
    private static let start = 1_800_000_000

    init() throws { key = try PrivateKey.generate(.ed25519) }

    private func log() throws -> WrittenLog { try WrittenLog(store, key: key) }

    private func open(at time: Int) async throws -> LogWriter {
        let log = try log()
        return try await LogWriter.open(store, names: log.names, signer: log.signer, at: time)
    }

    /// Commits one leaf every ten minutes, and restarts the process every hour and a half.
    private func write(minutes: Int) async throws {
        var writer = try await open(at: Self.start)
        for commit in 0...(minutes / 10) {
            let time = Self.start + commit * 600
            if commit > 0, commit % 9 == 0 { writer = try await open(at: time) }
            try WrittenLog.append(upTo: Int64(commit + 1), to: &writer)
            try await writer.commit(at: time)
        }
    }

    private var copies: [String] {
        store.objects.keys.filter { $0.contains("/checkpoints/") }.map { String($0.suffix(3)) }.sorted()
    }

    private func findings() async throws -> [Finding] {
        let options = VerificationOptions(verifiers: try log().signer.verifiers())
        return try await ArchiveVerification(store, options: options).run().findings
    }

    @Test func `one checkpoint an hour is kept, and a missing one is detected`() async throws {
        try await write(minutes: 300)
        // The process that starts after three hours signs the eighteen leaves again, an hour after the last copy.
        #expect(copies == ["001", "007", "013", "018", "025", "031"])
        #expect(try await findings() == [])
        let name = try log().names.checkpoint(size: 13).text
        let copy = store.objects[name]
        store.objects[name] = nil
        #expect(try await findings().first?.kind == .tampered)
        store.objects[name] = copy
        #expect(try await findings() == [])
    }

    @Test func `a year at 200 notifications a second produces few copies`() async throws {
        try await write(minutes: 600)
        // Testing ten hours is enough, because the number of copies for twelve partitions does not depend on the
        // commits.
        #expect(copies.count == 11)
        #expect(12 * (copies.count - 1) * 24 * 365 / 10 < 3_000_000)
    }

    @Test func `a log is not continued over a copy with its size from another tree`() async throws {
        var writer = try await open(at: Self.start)
        try WrittenLog.append(upTo: 5, to: &writer)
        let other = try WrittenLog(MemoryStore(), key: key)
        var fork = try await other.open()
        for offset in 10..<15 as Range<Int64> { try fork.append(WrittenLog.entry(offset)) }
        try await fork.commit(at: Self.start)
        let name = try log().names.checkpoint(size: 5)
        try await store.create(name, fork.checkpoint.bytes)
        try await writer.commit(at: Self.start)
        try WrittenLog.append(upTo: 6, to: &writer)
        let error = await #expect(throws: ArchiveError.self) { try await writer.commit(at: Self.start) }
        #expect(error?.message.contains("checkpoints/005") == true)
        #expect(try await log().check().size == 5)
    }

    /// Writes the right edge of a log of ten million leaves.
    private func writeEdge(_ log: WrittenLog, size: Int) async throws -> SignedNote {
        let width = size % TilePath.fullWidth
        let entries = try (size - width..<size).map { try WrittenLog.entry(Int64($0)) }
        var segment: [UInt8] = []
        for entry in entries { try ArchiveSegment.append(entry.object, to: &segment) }
        let paths = TilePath.partialTiles(ofSize: size)
        var tiles: [HashTile] = []
        for path in paths {
            let hashes =
                path == paths.first
                ? entries.map { MerkleHash.leaf($0.leaf.bytes) }
                : (0..<path.width).map { MerkleHash.leaf(Array("\(path.text) \($0)".utf8)) }
            tiles.append(HashTile(path: path, hashes: hashes))
            try await log.store.create(log.names.tile(path), HashTile(path: path, hashes: hashes).bytes)
        }
        let index = size / TilePath.fullWidth
        let bundle = try EntryBundle(entries: entries.map(\.leaf.bytes)).bytes
        try await log.store.create(log.names.tile(.entries(index: index, width: width)), bundle)
        try await log.store.create(log.names.segment(index: index, width: width), segment)
        let root = try MerkleFrontier(size: size, tiles: tiles).root
        let checkpoint = try Checkpoint(
            origin: log.names.origin(archive: WrittenLog.archive), size: size, root: root)
        let note = try log.signer.sign(checkpoint, after: 0, at: Self.start)
        _ = try await log.store.replace(log.names.checkpoint(), note.bytes, expected: nil)
        return note
    }

    @Test func `opening a log of ten million leaves requires few requests`() async throws {
        let bucket = SimulatedBucket(pageLength: 1_000)
        let log = try WrittenLog(try bucket.store(), key: key)
        let note = try await writeEdge(log, size: 10_000_000)
        let heads = MemoryHeads()
        try heads.keep(SignedHeadNotes(published: note.bytes), of: log.names.origin(archive: WrittenLog.archive))
        let before = bucket.requests.count
        let writer = try await LogWriter.open(
            log.store, names: log.names, signer: log.signer, at: Self.start, knowing: LogKnowledge(heads: heads))
        #expect(writer.size == 10_000_000)
        // The limit is less than a second, with 50 milliseconds per request.
        #expect(bucket.requests.count - before <= 16, "\(bucket.requests.dropFirst(before))")
    }
}
