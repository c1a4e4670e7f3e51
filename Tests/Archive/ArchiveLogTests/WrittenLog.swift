import ArchiveLog
import Cryptography
import Kafka
import ObjectStorage
import Synchronization
import Testing
import TransparencyLog

/// A log of a partition with records that can be recomputed from their offsets.
struct WrittenLog {
    static let partition = KafkaTopicPartition(topic: "appstore.certificates", partition: 3)
    static let archive = "example.com/archive"

    let store: any ObjectStore
    let names: LogNames
    let signer: CheckpointSigner

    init(_ store: any ObjectStore, key: PrivateKey) throws {
        self.store = store
        names = try LogNames(Self.partition)
        signer = try CheckpointSigner(archive: Self.archive, keys: [key])
    }

    func open(at time: Int = 1_800_000_000) async throws -> LogWriter {
        try await LogWriter.open(store, names: names, signer: signer, at: time, copyInterval: 0)
    }

    /// The entries created so far. A suite that crashes at each system call needs the same few hundred entries in each
    /// log.
    private static let entries = Mutex<[Int64: (entry: ArchiveEntry, leaf: [UInt8])]>([:])

    /// Returns the entry of the record at an offset: about 60 bytes, unencrypted.
    static func entry(_ offset: Int64) throws -> ArchiveEntry { try entryAndLeaf(offset).entry }

    private static func entryAndLeaf(_ offset: Int64) throws -> (entry: ArchiveEntry, leaf: [UInt8]) {
        if let known = entries.withLock({ $0[offset] }) { return known }
        let entry = try newEntry(offset)
        let leaf = entry.leaf.bytes
        entries.withLock { $0[offset] = (entry, leaf) }
        return (entry, leaf)
    }

    private static func newEntry(_ offset: Int64) throws -> ArchiveEntry {
        try ArchiveEntry(
            KafkaRecord(
                topic: partition.topic, partition: partition.partition, offset: KafkaOffset(rawValue: offset),
                timestampMilliseconds: 1_700_000_000_000 + offset, key: Array("key \(offset)".utf8),
                value: Array("value \(offset * 7919)".utf8)),
            kind: .certificate, clusterId: "cluster", archivedAtMilliseconds: 1_800_000_000_000 + offset,
            protection: .plain)
    }

    /// Appends the records up to an offset, starting with the first one that the log does not have.
    static func append(upTo end: Int64, to writer: inout LogWriter) throws {
        let next = writer.lastLeaf.map { $0.position.offset.rawValue + 1 } ?? 0
        guard next < end else { return }
        for offset in next..<end { try writer.append(entry(offset)) }
    }

    /// Compares everything covered by the checkpoint with the appended entries (hashes, entries, objects), and returns
    /// the checkpoint.
    @discardableResult
    func check() async throws -> Checkpoint {
        let bytes = try #require(await store.read(names.checkpoint())).bytes
        let note = try SignedNote(bytes: bytes)
        let checkpoint = try Checkpoint(text: note.text)
        let signatures = try note.verified(by: signer.verifiers().keys(of: checkpoint.origin))
        #expect(signatures.count == 2)
        var frontier = MerkleFrontier()
        var first = 0
        while first < checkpoint.size {
            let index = first / TilePath.fullWidth
            let width = min(TilePath.fullWidth, checkpoint.size - first)
            let bundle = try EntryBundle(
                bytes: try await object(names.tile(.entries(index: index, width: width))), count: width)
            let segment = try await object(names.segment(index: index, width: width))
            let objects = try ArchiveSegment.objects(in: segment)
            try #require(objects.count == width)
            let expected = try (first..<first + width).map { try Self.entryAndLeaf(Int64($0)) }
            let leaves = (0..<width).map { Array(bundle[$0]) }
            #expect(leaves == expected.map(\.leaf))
            #expect(objects.map { Array(segment[$0]) } == expected.map(\.entry.object))
            for leaf in leaves { frontier.append(.leaf(leaf)) }
            for tile in frontier.takeFinishedTiles() {
                #expect(try await object(names.tile(tile.path)) == tile.bytes, "\(tile.path.text)")
            }
            first += width
        }
        for tile in frontier.partialTiles() {
            #expect(try await object(names.tile(tile.path)) == tile.bytes, "\(tile.path.text)")
        }
        #expect(frontier.root == checkpoint.root)
        return checkpoint
    }

    func object(_ name: ObjectName) async throws -> [UInt8] {
        try #require(await store.read(name), "\(name) is missing").bytes
    }

    /// Returns the names of all objects, relative to the log's prefix.
    func objects() async throws -> [String] {
        try await store.list(names.prefix, after: nil, limit: 100_000).map {
            String($0.name.text.dropFirst(names.prefix.text.count + 1))
        }
    }
}
