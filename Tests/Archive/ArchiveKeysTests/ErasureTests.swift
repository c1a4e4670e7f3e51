import ArchiveKeys
import ArchiveLog
import Cryptography
import Foundation
import SQLite
import TestSupport
import Testing

struct ErasureTests {
    @Test func `after erasing 100 of 10,000 subjects no file contains their keys, and the others keep theirs`() throws {
        let disk = try StoreOnDisk()
        let store = try disk.open(cachedSubjects: 100_000)
        // Records arrive in random order, unrelated to their pseudonyms, and in many transactions.
        var random = SeededGenerator(seed: 53)
        let numbers = Array(0..<10_000).shuffled(using: &random)
        var sealing: [Int: (id: ArchiveKeyId, bytes: [UInt8])] = [:]
        for start in stride(from: 0, to: numbers.count, by: 500) {
            let batch = Array(numbers[start..<start + 500])
            let made = try store.dataKeys(for: batch.map { StoreOnDisk.request($0) })
            for (number, protection) in zip(batch, made) { sealing[number] = protection.sealing }
        }
        let wrapped = Dictionary(uniqueKeysWithValues: try disk.rows().map { ($0.id, $0.wrapped) })
        let erased = Array(numbers.shuffled(using: &random).prefix(100))
        let destroyed = try erased.map { try #require(sealing[$0]) }
        let secrets = try destroyed.map { try #require(wrapped[$0.id]) }
        #expect(try hits(of: secrets, in: disk) >= 100, "the search must find existing data")

        let outcomes = try store.apply(erased.map { try StoreOnDisk.record(.erase, $0, in: store) })
        #expect(outcomes == destroyed.map { .destroyed([$0.id]) })
        // The needles are the keys themselves, and the first and last bytes of each wrapped key in case a page kept a
        // part.
        let parts = secrets.map { Array($0.prefix(20)) } + secrets.map { Array($0.suffix(20)) }
        #expect(try hits(of: parts + destroyed.map(\.bytes), in: disk) == 0)

        for (number, key) in sealing {
            let state = try store.dataKey(key.id)
            if erased.contains(number) { #expect(state.isDestroyed) } else { #expect(state.bytes == key.bytes) }
        }
        #expect(try store.counts().destroyedKeys == 100)
        #expect(try store.counts().keys == 9_900)
        #expect(try store.checkIntegrity() == [])
        try store.vacuum()
        #expect(try hits(of: secrets, in: disk) == 0)
        #expect(try store.checkIntegrity() == [])
    }

    @Test func `after rewrapping no file contains the previous wrapped keys`() throws {
        let disk = try StoreOnDisk(keyEncryptionKeys: 2)
        let old = try disk.open([0])
        for start in stride(from: 0, to: 2_000, by: 100) {
            _ = try old.dataKeys(for: (start..<start + 100).map { StoreOnDisk.request($0) })
        }
        old.close()
        let before = try disk.rows().map(\.wrapped)
        let store = try disk.open([1, 0])
        try store.rewrap()
        #expect(try hits(of: before, in: disk) == 0)
        let between = try disk.rows().map(\.wrapped)
        try store.apply(try (0..<2_000).map { try StoreOnDisk.record(.erase, $0, in: store) })
        #expect(try hits(of: between, in: disk) == 0)
    }

    @Test func `a record older than its subject's erasure gets no key, and a newer one gets a new key`() throws {
        let disk = try StoreOnDisk()
        let store = try disk.open()
        let old = try #require(try store.dataKeys(for: [StoreOnDisk.request(1)]).first?.sealing)
        let erasure = try StoreOnDisk.record(.erase, 1, in: store, at: 5_000)
        try store.apply([erasure], nextOffset: 1)
        let later = try store.dataKeys(
            for: [1_000, 5_000, 5_001].map { StoreOnDisk.request(1, signedAt: $0) } + [StoreOnDisk.request(2)])
        #expect(later[0].isErased)
        #expect(later[1].isErased)
        let new = try #require(later[2].sealing)
        #expect(new.id != old.id)
        #expect(new.bytes != old.bytes)
        #expect(later[3].sealing != nil)
        // The result must be the same from memory and from the file.
        for store in [store, try disk.open()] {
            #expect(try store.dataKeys(for: [StoreOnDisk.request(1, signedAt: 4_999)]).first?.isErased == true)
            #expect(try store.dataKeys(for: [StoreOnDisk.request(1, signedAt: 6_000)]).first?.sealing?.id == new.id)
        }
    }

    @Test func `an erasure that is applied again keeps the keys of later records`() throws {
        let store = try StoreOnDisk().open()
        _ = try store.dataKeys(for: [StoreOnDisk.request(1)])
        let erasure = try StoreOnDisk.record(.erase, 1, in: store, at: 5_000)
        try store.apply([erasure], nextOffset: 1)
        let new = try #require(try store.dataKeys(for: [StoreOnDisk.request(1, signedAt: 6_000)]).first?.sealing)
        #expect(try store.apply([erasure], nextOffset: 1) == [.alreadyDone])
        #expect(try store.dataKey(new.id).bytes == new.bytes)
        let second = try StoreOnDisk.record(.erase, 1, in: store, at: 7_000)
        #expect(try store.apply([second], nextOffset: 2) == [.destroyed([new.id])])
        #expect(try store.erasuresNextOffset == 2)
        let status = try store.status(of: second.subject)
        #expect(status.keys.isEmpty)
        #expect(status.destroyedKeys.count == 2)
        #expect(status.erasedUpToMilliseconds == 7_000)
    }

    @Test func `erasing a subject without a key prevents its records from getting one`() throws {
        let store = try StoreOnDisk().open()
        #expect(try store.apply([try StoreOnDisk.record(.erase, 1, in: store)]) == [.destroyed([])])
        #expect(try store.dataKeys(for: [StoreOnDisk.request(1)]).first?.isErased == true)
        #expect(try store.counts().keys == 0)
    }

    @Test func `a held subject is not erased until the hold ends`() throws {
        let store = try StoreOnDisk().open()
        let key = try #require(try store.dataKeys(for: [StoreOnDisk.request(1)]).first?.sealing)
        let hold = try StoreOnDisk.record(.hold, 1, in: store, at: 2_000)
        let erasure = try StoreOnDisk.record(.erase, 1, in: store, at: 3_000)
        let release = try StoreOnDisk.record(.release, 1, in: store, at: 4_000)
        #expect(try store.apply([hold]) == [.holdBegun])
        let found = try #require(try store.status(of: hold.subject).hold)
        #expect(found.request == "DSR-1")
        #expect(try store.apply([erasure]) == [.held(found)])
        #expect(try store.dataKey(key.id).bytes == key.bytes)
        #expect(try store.counts().waitingErasures == 1)
        // All three records are read again, as after restoring a backup of the offset.
        #expect(try store.apply([hold, erasure]) == [.alreadyDone, .held(found)])
        #expect(try store.apply([release]) == [.destroyed([key.id])])
        #expect(try store.dataKey(key.id).isDestroyed)
        #expect(try store.apply([release]) == [.alreadyDone])
        #expect(try store.counts().waitingErasures == 0)
        #expect(try store.dataKeys(for: [StoreOnDisk.request(1, signedAt: 3_000)]).first?.isErased == true)
        #expect(try store.dataKeys(for: [StoreOnDisk.request(1, signedAt: 3_001)]).first?.sealing != nil)
    }

    @Test func `a release that precedes a hold does not end the hold`() throws {
        let disk = try StoreOnDisk()
        let store = try disk.open()
        #expect(try store.apply([try StoreOnDisk.record(.hold, 1, in: store, at: 2_000)]) == [.holdBegun])
        let earlier = try StoreOnDisk.record(.release, 1, in: store, at: 1_999)
        #expect(try store.apply([earlier]) == [.alreadyDone])
        #expect(try store.status(of: earlier.subject).hold != nil)
    }

    @Test func `every process that has the store open drops keys that another one erased`() throws {
        let disk = try StoreOnDisk()
        let (first, second) = (try disk.open(), try disk.open())
        let keys = try first.dataKeys(for: [1, 2].map { StoreOnDisk.request($0) }).map(\.sealing)
        #expect(try second.dataKeys(for: [StoreOnDisk.request(1)]).first?.sealing?.id == keys[0]?.id)
        try first.apply([try StoreOnDisk.record(.erase, 1, in: first)])
        let later = try second.dataKeys(for: [1, 2].map { StoreOnDisk.request($0) })
        #expect(later[0].isErased)
        #expect(later[1].sealing?.bytes == keys[1]?.bytes)
        #expect(try second.dataKeys(for: [StoreOnDisk.request(1, signedAt: 9_000)]).first?.sealing?.id != keys[0]?.id)
    }

    @Test(.enabled(if: FileManager.default.isReadableFile(atPath: "/proc/self/mem"), "there is no /proc"))
    func `no process keeps a key in memory after its erasure by any process`() throws {
        let disk = try StoreOnDisk()
        let (first, second) = (try disk.open(), try disk.open())
        let request = StoreOnDisk.request(1)
        // The needle is stored inverted, so that the search does not find itself.
        var needle: [UInt8] = []
        do {
            guard case .encrypted(let key) = try #require(try second.dataKeys(for: [request]).first) else {
                Issue.record("no key")
                return
            }
            key.secret.withUnsafeBytes { for byte in $0 { needle.append(~byte) } }
            #expect(try ProcessMemory.count(ofInverted: needle) > 0, "the search must find existing data")
        }
        #expect(try first.dataKeys(for: [request]).first?.sealing != nil)
        try first.apply([try StoreOnDisk.record(.erase, 1, in: first)])
        try second.refresh()
        #expect(try ProcessMemory.count(ofInverted: needle) == 0)
    }

    @Test func `after a backup is restored the later erasures of the topic are applied again`() throws {
        let disk = try StoreOnDisk()
        let store = try disk.open()
        let key = try #require(try store.dataKeys(for: [StoreOnDisk.request(1)]).first?.sealing)
        try store.apply([], nextOffset: 7)
        let backup = disk.directory.file("backup.db")
        try disk.run("VACUUM INTO ?", [.text(backup)])
        let erasure = try StoreOnDisk.record(.erase, 1, in: store)
        try store.apply([erasure], nextOffset: 8)
        let restored = try KeyStore(path: backup, keys: try disk.keys([0]), creation: .never)
        #expect(try restored.dataKey(key.id).bytes == key.bytes)
        #expect(try restored.erasuresNextOffset == 7)
        #expect(try restored.apply([erasure], nextOffset: 8) == [.destroyed([key.id])])
    }

    /// Counts occurrences of the needles in all files of the store.
    private func hits(of needles: [[UInt8]], in disk: StoreOnDisk) throws -> Int {
        // Needles are grouped by their first two bytes, so that one pass over the files is enough.
        let starts = Dictionary(grouping: needles, by: { UInt16($0[0]) | UInt16($0[1]) << 8 })
        let isStart = UnsafeMutableBufferPointer<Bool>.allocate(capacity: 1 << 16)
        defer { isStart.deallocate() }
        isStart.initialize(repeating: false)
        for start in starts.keys { isStart[Int(start)] = true }
        var count = 0
        for file in try disk.allBytes().values {
            file.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) in
                guard let base = bytes.baseAddress else { return }
                var at = 0
                while at + 1 < bytes.count {
                    let start = UInt16(littleEndian: base.loadUnaligned(fromByteOffset: at, as: UInt16.self))
                    if isStart[Int(start)] {
                        for needle in starts[start] ?? [] where at + needle.count <= bytes.count {
                            if memcmp(base + at, needle, needle.count) == 0 { count += 1 }
                        }
                    }
                    at += 1
                }
            }
        }
        return count
    }
}
