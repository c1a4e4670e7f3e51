import ArchiveLog
import Cryptography
import Kafka
import KafkaModel
import ObjectStorage
import ObjectStorageTestSupport
import Testing
import TransparencyLog

@Suite("Writer of a log") struct LogWriterTests {
    private let key: PrivateKey

    init() throws { key = try PrivateKey.generate(.ed25519) }

    private func log(_ calls: any FileCalls = SimulatedDisk()) throws -> WrittenLog {
        try WrittenLog(DirectoryStore(path: "/archive", creating: true, calls: calls), key: key)
    }

    @Test(arguments: [1, 2, 255, 256, 257, 511, 512, 700, 66_000] as [Int64])
    func `committed leaves are stored at every size`(count: Int64) async throws {
        let log = try log()
        var writer = try await log.open()
        try WrittenLog.append(upTo: count, to: &writer)
        #expect(try await log.check().size == 0)
        try await writer.commit(at: 1_800_000_001)
        #expect(try await log.check().size == Int(count))
    }

    @Test func `a log grows in any steps, by any number of successive writers`() async throws {
        let log = try log()
        var generator = SystemRandomNumberGenerator()
        var end: Int64 = 0
        for round in 0..<40 {
            var writer = try await log.open(at: 1_800_000_000 + round)
            for _ in 0..<3 {
                end += Int64.random(in: 0...300, using: &generator)
                try WrittenLog.append(upTo: end, to: &writer)
                try await writer.commit(at: 1_800_000_000 + round)
            }
        }
        #expect(try await log.check().size == Int(end))
    }

    @Test
    func
        `every checkpoint is kept, and a writer that takes over signs later than the one before, whatever the clock says`()
        async throws
    {
        let log = try log()
        var times: [Int] = []
        for end in [10, 300, 301, 600] as [Int64] {
            var writer = try await log.open(at: 5)
            try WrittenLog.append(upTo: end, to: &writer)
            try await writer.commit(at: 5)
            let note = try SignedNote(bytes: await log.object(log.names.checkpoint(size: Int(end))))
            #expect(try Checkpoint(text: note.text).size == Int(end))
            let keys = try log.signer.verifiers().keys(of: log.names.origin(archive: WrittenLog.archive))
            times.append(contentsOf: try note.verified(by: keys).compactMap(\.time))
        }
        #expect(times == times.sorted() && Set(times).count == times.count)
    }

    @Test func `each checkpoint names the previous one, even if its size is signed again`() async throws {
        let log = try log()
        var previous: [Int?] = []
        for end in [10, 300, 300, 600] as [Int64] {
            var writer = try await log.open(at: 5)
            try WrittenLog.append(upTo: end, to: &writer)
            try await writer.commit(at: 5)
            let origin = log.names.origin(archive: WrittenLog.archive)
            previous.append(PreviousSize.unverified(of: writer.checkpoint, origin: origin))
        }
        #expect(previous == [0, 10, 10, 300])
    }

    @Test func `many checkpoints in a second have the time of the clock`() async throws {
        let log = try log()
        var writer = try await log.open(at: 1_800_000_000)
        for end in 1...50 as ClosedRange<Int64> {
            try WrittenLog.append(upTo: end, to: &writer)
            try await writer.commit(at: 1_800_000_000)
        }
        let keys = try log.signer.verifiers().keys(of: log.names.origin(archive: WrittenLog.archive))
        #expect(try writer.checkpoint.verified(by: keys).compactMap(\.time) == [1_800_000_000])
    }

    @Test func `partial files are deleted when the full one exists`() async throws {
        let log = try log()
        var writer = try await log.open()
        for end in stride(from: 50, through: 300, by: 50) as StrideThrough<Int64> {
            try WrittenLog.append(upTo: end, to: &writer)
            try await writer.commit(at: 0)
        }
        let files = try await log.objects().filter { !$0.hasPrefix("checkpoint") }
        #expect(
            files == [
                "segments/000", "segments/001.p/44", "tile/0/000", "tile/0/001.p/44", "tile/1/000.p/1",
                "tile/entries/000", "tile/entries/001.p/44",
            ])
    }

    @Test func `a directory is locked for a second writer, and a writer does not overwrite another's checkpoint`()
        async throws
    {
        let log = try log()
        let lock = try await log.store.lock(log.names.prefix)
        await #expect(throws: ObjectStoreError.self) { _ = try await log.store.lock(log.names.prefix) }
        // Two writers, as on a store without locks. The later one takes over the log.
        var first = try await log.open()
        try WrittenLog.append(upTo: 5, to: &first)
        var second = try await log.open()
        let error = await #expect(throws: ArchiveError.self) { try await first.commit(at: 0) }
        #expect(error?.code == .otherWriter)
        try WrittenLog.append(upTo: 7, to: &second)
        try await second.commit(at: 0)
        #expect(try await log.check().size == 7)
        lock.release()
    }

    @Test func `a log without its checkpoint is not recreated`() async throws {
        let log = try log()
        var writer = try await log.open()
        try WrittenLog.append(upTo: 5, to: &writer)
        try await writer.commit(at: 0)
        try await log.store.delete(log.names.checkpoint())
        let error = await #expect(throws: ArchiveError.self) { _ = try await log.open() }
        #expect(error?.code == .checkpointMissing)
    }

    @Test func `a log that was signed by another key is not continued`() async throws {
        let log = try log()
        _ = try await log.open()
        let other = try WrittenLog(log.store, key: PrivateKey.generate(.ed25519))
        let error = await #expect(throws: ArchiveError.self) { _ = try await other.open() }
        #expect(error?.code == .unknownKey)
    }

    @Test func `during a key rotation both keys sign, and either continues the log`() async throws {
        let log = try log()
        let next = try PrivateKey.generate(.ed25519)
        let both = try CheckpointSigner(archive: WrittenLog.archive, keys: [next, key])
        var writer = try await log.open()
        try WrittenLog.append(upTo: 3, to: &writer)
        try await writer.commit(at: 0)
        _ = try await LogWriter.open(log.store, names: log.names, signer: both, at: 0)
        _ = try await LogWriter.open(
            log.store, names: log.names, signer: CheckpointSigner(archive: WrittenLog.archive, keys: [next]), at: 0)
    }

    @Test func `a log with the wrong hash in its last entry is not continued`() async throws {
        let log = try log()
        var writer = try await log.open()
        try WrittenLog.append(upTo: 300, to: &writer)
        try await writer.commit(at: 0)
        let name = try log.names.tile(.entries(index: 1, width: 44))
        let bundle = try EntryBundle(bytes: await log.object(name), count: 44)
        var entries = (0..<44).map { Array(bundle[$0]) }
        // The time of archiving precedes key id, length and digest.
        entries[3][entries[3].count - 53] ^= 1
        try await log.store.delete(name)
        try await log.store.create(name, try EntryBundle(entries: entries).bytes)
        let error = await #expect(throws: ArchiveError.self) { _ = try await log.open() }
        #expect(error?.code == .damaged)
    }

    @Test func `a log whose last object does not match its entry is not continued`() async throws {
        let log = try log()
        var writer = try await log.open()
        try WrittenLog.append(upTo: 300, to: &writer)
        try await writer.commit(at: 0)
        let name = try log.names.segment(index: 1, width: 44)
        var segment = try await log.object(name)
        // The changed byte is the last one of the last object, not of a length.
        segment[segment.count - 1] ^= 1
        try await log.store.delete(name)
        try await log.store.create(name, segment)
        let error = await #expect(throws: ArchiveError.self) { _ = try await log.open() }
        #expect(error?.code == .damaged)
    }

    @Test func `a log whose last entry belongs to another partition is not continued`() async throws {
        let log = try log()
        var writer = try await log.open()
        try writer.append(
            ArchiveEntry(
                KafkaRecord(
                    topic: WrittenLog.partition.topic, partition: 9, offset: 0, timestampMilliseconds: 1, key: nil,
                    value: [1]), kind: .certificate, clusterId: "cluster", archivedAtMilliseconds: 1, protection: .plain
            ))
        try await writer.commit(at: 0)
        let error = await #expect(throws: ArchiveError.self) { _ = try await log.open() }
        #expect(error?.code == .damaged)
    }

    @Test func `a failed checkpoint that another writer replaced is not treated as written`()
        async throws
    {
        let store = MemoryStore()
        let log = try WrittenLog(store, key: key)
        var writer = try await log.open()
        try WrittenLog.append(upTo: 10, to: &writer)
        store.fail(replacing: try log.names.checkpoint())
        let failure = await #expect(throws: ArchiveError.self) { try await writer.commit(at: 1_800_000_001) }
        #expect(failure?.code == .storage)
        var other = try await log.open(at: 1_800_000_002)
        try WrittenLog.append(upTo: 5, to: &other)
        try await other.commit(at: 1_800_000_003)
        let error = await #expect(throws: ArchiveError.self) { try await writer.commit(at: 1_800_000_004) }
        #expect(error?.code == .otherWriter)
        #expect(writer.committedSize == 0)
    }

    @Test func `the copy of a checkpoint is stored before the next one is signed`() async throws {
        let store = MemoryStore()
        let log = try WrittenLog(store, key: key)
        var writer = try await log.open()
        try WrittenLog.append(upTo: 10, to: &writer)
        let copy = try log.names.checkpoint(size: 10)
        store.fail(replacing: copy, times: 2)
        try await writer.commit(at: 1_800_000_001)
        #expect(store.objects[copy.text] == nil)
        try WrittenLog.append(upTo: 20, to: &writer)
        let failure = await #expect(throws: ArchiveError.self) { try await writer.commit(at: 1_800_000_002) }
        #expect(failure?.code == .storage)
        #expect(try await log.check().size == 10)
        try await writer.commit(at: 1_800_000_003)
        #expect(store.objects[copy.text] != nil)
        #expect(try await log.check().size == 20)
    }

    @Test(arguments: ["tile/0/001.p/44", "tile/1/000.p/1", "tile/entries/001.p/44", "segments/001.p/44"])
    func `a log with a changed end is not continued`(name: String) async throws {
        let log = try log()
        var writer = try await log.open()
        try WrittenLog.append(upTo: 300, to: &writer)
        try await writer.commit(at: 0)
        let object = try log.names.prefix.appending(name)
        var bytes = try await log.object(object)
        bytes[bytes.count / 2] ^= 1
        try await log.store.delete(object)
        try await log.store.create(object, bytes)
        let error = await #expect(throws: ArchiveError.self) { _ = try await log.open() }
        #expect(error?.code == .damaged)
    }
}
