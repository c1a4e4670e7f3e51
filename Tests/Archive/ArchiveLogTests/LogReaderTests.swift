import ArchiveLog
import KafkaModel
import ObjectStorage
import Testing
import TransparencyLog

@Suite("Reading a log of the archive") struct LogReaderTests {
    @Test func `leaves, objects and offsets are found, and proved offline with only the public key`() async throws {
        let archive = try SampleArchive()
        let names = try archive.names()
        try await archive.write([700], from: 1000, step: 3)
        let reader = LogReader(archive.store, names: names, verifiers: try archive.verifiers)
        let checkpoint = try #require(try await reader.checkpoint())
        #expect(checkpoint.checkpoint.size == 700)
        #expect(checkpoint.time == 1_800_000_000)
        for index in [0, 1, 255, 256, 511, 512, 699] {
            let offset = KafkaOffset(rawValue: 1000 + 3 * Int64(index))
            #expect(try await reader.index(of: offset, size: 700) == index)
            #expect(try await reader.index(of: KafkaOffset(rawValue: offset.rawValue + 1), size: 700) == nil)
            let (bytes, leaf) = try await reader.leaf(index, size: 700)
            #expect(leaf.position.offset == offset)
            let object = try await reader.object(index, size: 700)
            #expect(leaf.describes(object))
            let proof = try await reader.proof(ofLeaf: index, in: checkpoint, extra: bytes)
            let read = try TlogProof(bytes: proof.bytes)
            let keys = try archive.verifiers.keys(of: names.origin(archive: SampleArchive.origin))
            let verified = try read.verified(entry: bytes, by: keys)
            #expect(verified?.checkpoint.size == 700)
        }
        #expect(try await reader.index(of: 999, size: 700) == nil)
        await #expect(throws: ArchiveError.self) { try await reader.leaf(700, size: 700) }
        await #expect(throws: ArchiveError.self) { try await reader.object(-1, size: 700) }
    }

    @Test func `a gap covers the offsets before its end, even if it is the last leaf`() async throws {
        let store = MemoryStore()
        let archive = try SampleArchive(store: store)
        let names = try archive.names()
        var writer = try await archive.write([254])
        // Offsets 260 to 269 are missing without a leaf.
        for missing in [254..<260, 270..<280] as [Range<Int64>] {
            try writer.append(
                ArchiveEntry(
                    gap: missing, reason: .deleted, of: names.partition, clusterId: "cluster",
                    archivedAtMilliseconds: SampleArchive.start + missing.lowerBound))
        }
        try await writer.commit(at: 1_800_000_010)
        let reader = LogReader(store, names: names, verifiers: try archive.verifiers)
        for (offset, index) in [(254, 254), (259, 254), (260, nil), (270, 255), (279, 255), (280, nil), (999, nil)]
            as [(KafkaOffset, Int?)]
        {
            #expect(try await reader.index(of: offset, size: 256) == index, "\(offset)")
        }
        // Without its object, the last gap is known to cover only its first offset.
        try await store.delete(names.segment(index: 0))
        for (offset, index) in [(254, 254), (259, 254), (270, 255), (271, nil), (280, nil)] as [(KafkaOffset, Int?)] {
            #expect(try await reader.index(of: offset, size: 256) == index, "\(offset)")
        }
    }

    @Test func `leaves in replaced partial files are read under the newer checkpoint`() async throws {
        let archive = try SampleArchive()
        try await archive.write([10])
        let reader = LogReader(archive.store, names: try archive.names(), verifiers: try archive.verifiers)
        let before = try await reader.checkpoint()?.checkpoint.size ?? 0
        try await archive.write([20, 300])
        #expect(before == 10)
        let object = try await reader.object(9, size: before)
        #expect(try await reader.leaf(9, size: before).leaf.describes(object))
    }

    @Test func `the checkpoint of another log is rejected`() async throws {
        let store = MemoryStore()
        let archive = try SampleArchive(store: store)
        try await archive.write([3])
        try await archive.write([3], to: archive.names("appstore.quarantine"), kind: .quarantine)
        store.objects["appstore.quarantine/0/checkpoint"] = store.objects["appstore.notifications/0/checkpoint"]
        let reader = LogReader(store, names: try archive.names("appstore.quarantine"), verifiers: nil)
        await #expect(throws: ArchiveError.self) { try await reader.checkpoint() }
    }

    @Test(arguments: ["a/0", "appstore.notifications/12"])
    func `a directory is a log if its name is a log name`(text: String) throws {
        #expect(LogNames(folder: try ObjectName(text))?.prefix.text == text)
        for other in ["\(text)/1", "a", "a/01", "a/-1", "a/x", "a/99999999999"] {
            #expect(LogNames(folder: try ObjectName(other)) == nil)
        }
    }

    @Test func `the content of every object of a log follows from its name`() async throws {
        let store = MemoryStore()
        let archive = try SampleArchive(store: store)
        try await archive.write([300, 5])
        let names = try archive.names()
        let contents = try store.objects.keys.map { names.content(try ObjectName($0)) }
        #expect(!contents.contains(nil))
        #expect(contents.contains(.checkpointOfSize(305)))
        #expect(contents.contains(.segment(index: 1, width: 49)))
        #expect(contents.contains(.tile(.hashes(level: 1, index: 0, width: 1))))
        #expect(names.content(try ObjectName("appstore.notifications/0/other")) == nil)
        #expect(names.content(try ObjectName("appstore.notifications/1/checkpoint")) == nil)
    }

    @Test func `a retention consists of exactly three lines`() {
        let retention = Retention(origin: "a/b/0", minimum: 512)
        #expect(Retention(text: retention.text) == retention)
        for text in ["", retention.text + "\n", "x" + retention.text, "sluice-archive/retention@v1\na\nminimum +5\n"] {
            #expect(Retention(text: text) == nil)
        }
    }
}
