import ArchiveLog
import Cryptography
import Foundation
import KafkaModel
import ObjectStorage
import Synchronization
import TestSupport
import Testing
import TransparencyLog

@Suite("Verifying an archive") struct VerificationTests {
    @Test func `an unmodified archive is intact, and everything in it is counted`() async throws {
        let archive = try SampleArchive()
        try await archive.write([10, 300, 17])
        try await archive.write([5], to: archive.names("appstore.certificates"), kind: .certificate, step: 3)
        let report = try await archive.verify()
        #expect(report.findings.isEmpty)
        #expect(report.verdict == nil)
        #expect(report.logs.map(\.log.prefix.text) == ["appstore.certificates/0", "appstore.notifications/0"])
        let log = try #require(report.logs.last)
        #expect(log.leaves == 327 && log.objects == 327 && log.erasedOnArrival == 33 && log.checkpoints == 3)
        #expect(log.checkpoint?.isSigned == true)
    }

    @Test func `an empty log and an empty archive are intact`() async throws {
        let archive = try SampleArchive()
        #expect(try await archive.verify().logs.isEmpty)
        try await archive.write([])
        let report = try await archive.verify()
        #expect(report.findings.isEmpty && report.logs.count == 1)
    }

    @Test func `trees of every size up to two tiles are intact, with or without a key`() async throws {
        for size in [1, 2, 3, 255, 256, 257, 511, 512, 513] {
            let archive = try SampleArchive()
            try await archive.write([size])
            #expect(try await archive.verify().findings.isEmpty)
            let unsigned = try await archive.verify { $0.verifiers = nil }
            #expect(unsigned.findings.isEmpty && unsigned.logs.first?.checkpoint?.isSigned == false)
        }
    }

    @Test func `an earlier state of a whole log is rolled back, which only the anchor reveals`() async throws {
        let store = MemoryStore()
        let archive = try SampleArchive(store: store)
        try await archive.write([300])
        let earlier = MemoryStore(store.objects)
        let writer = try await archive.write([10])
        #expect(try await archive.verify(earlier).findings.isEmpty)
        let report = try await archive.verify(earlier) { $0.anchors = try archive.anchors([writer.checkpoint]) }
        #expect(report.verdict == .rolledBack)
        #expect(report.findings.first?.leaf == 300)
        #expect(
            try await archive.verify { $0.anchors = try archive.anchors([writer.checkpoint]) }.logs.first?.anchors == 1)
    }

    @Test func `an older checkpoint in place of the newest is rolled back, which copies of later ones reveal`()
        async throws
    {
        let store = MemoryStore()
        let archive = try SampleArchive(store: store)
        try await archive.write([20, 30, 40])
        store.objects["appstore.notifications/0/checkpoint"] = store.objects["appstore.notifications/0/checkpoints/020"]
        #expect(try await archive.verify().verdict == .rolledBack)
    }

    @Test(arguments: ["010", "030"])
    func `a removed copy of an earlier checkpoint is reported, with or without a key`(_ copy: String) async throws {
        let store = MemoryStore()
        let archive = try SampleArchive(store: store)
        try await archive.write([10, 20])
        try await archive.write([40], at: 1_800_000_100)
        let name = "appstore.notifications/0/checkpoints/\(copy)"
        store.objects[name] = nil
        for report in [try await archive.verify(), try await archive.verify { $0.verifiers = nil }] {
            #expect(report.verdict == .tampered)
            #expect(report.findings.map { $0.object?.text } == [name])
        }
    }

    @Test func `the verdict depends on every kind of finding, even beyond the limit`() async throws {
        let store = MemoryStore()
        let archive = try SampleArchive(store: store)
        // The offsets between the records are missing.
        try await archive.write([300], step: 3)
        let incomplete = try await archive.verify()
        #expect(incomplete.verdict == .incomplete)
        #expect(incomplete.findings.count == 20)
        let name = "appstore.notifications/0/segments/001.p/44"
        let last = try #require(store.objects[name]).count - 1
        store.objects[name]?[last] ^= 1
        let tampered = try await archive.verify()
        #expect(tampered.verdict == .tampered)
        #expect(tampered.findings.map(\.kind) == incomplete.findings.map(\.kind) + [.tampered])
        #expect(tampered.logs.first?.moreFindings == incomplete.logs.first?.moreFindings)
    }

    @Test func `the copy of the newest checkpoint may not exist yet`() async throws {
        let store = MemoryStore()
        let archive = try SampleArchive(store: store)
        try await archive.write([10, 20])
        store.objects["appstore.notifications/0/checkpoints/030"] = nil
        #expect(try await archive.verify().findings.isEmpty)
        // The next writer creates it.
        try await archive.write([5], at: 1_800_000_100)
        #expect(try await archive.verify().findings.isEmpty)
        #expect(store.objects["appstore.notifications/0/checkpoints/030"] != nil)
    }

    @Test(arguments: [4, 5, 6])
    func `a checkpoint or a copy without one of its three signature lines is tampered with`(_ line: Int) async throws {
        for name in ["appstore.notifications/0/checkpoints/030", "appstore.notifications/0/checkpoint"] {
            let store = MemoryStore()
            let archive = try SampleArchive(store: store)
            try await archive.write([10, 20, 30])
            var lines = String(decoding: try #require(store.objects[name]), as: UTF8.self).split(
                separator: "\n", omittingEmptySubsequences: false)
            // The lines are origin, size, root, an empty line, signature, cosignature and previous size.
            lines.remove(at: line)
            store.objects[name] = Array(lines.joined(separator: "\n").utf8)
            let report = try await archive.verify()
            #expect(report.verdict == .tampered)
            #expect(report.findings.first?.object?.text == name)
        }
    }

    @Test func `a copy that names another archive is tampered with, not signed by an unknown key`() async throws {
        let store = MemoryStore()
        let archive = try SampleArchive(store: store)
        try await archive.write([10, 20, 30])
        let name = "appstore.notifications/0/checkpoints/010"
        store.objects[name]?[0] ^= 1
        let report = try await archive.verify()
        #expect(report.verdict == .tampered)
        #expect(report.findings.map(\.object?.text) == [name])
    }

    @Test func `swapped copies are tampered with, not forked`() async throws {
        let store = MemoryStore()
        let archive = try SampleArchive(store: store)
        try await archive.write([10, 20, 30])
        let names = ["010", "030"].map { "appstore.notifications/0/checkpoints/\($0)" }
        let (first, second) = (store.objects[names[0]], store.objects[names[1]])
        store.objects[names[0]] = second
        store.objects[names[1]] = first
        let report = try await archive.verify()
        #expect(report.verdict == .tampered)
        #expect(!report.findings.contains { $0.kind == .forked })
    }

    @Test func `a leaf of another partition and a retention beyond the log are detected even if signed`()
        async throws
    {
        let store = MemoryStore()
        let archive = try SampleArchive(store: store)
        let (names, other) = (try archive.names(), try archive.names("appstore.notifications", 7))
        var writer = try await archive.write([10])
        try writer.append(archive.entry(other, offset: 10))
        try await writer.commit(at: 1_800_000_000)
        #expect(try await archive.verify().findings.first?.leaf == 10)

        let retention = Retention(origin: names.origin(archive: SampleArchive.origin), minimum: 512)
        let whole = try SampleArchive(keys: [PrivateKey.generate(.ed25519)])
        try await whole.write([300])
        _ = try await whole.store.replace(
            names.retention(), try whole.signer.sign(retention).bytes, expected: nil)
        let report = try await whole.verify()
        #expect(report.verdict == .tampered)
        #expect(report.findings.first?.object == (try names.retention()))
    }

    @Test func `another log that the same key signed is forked`() async throws {
        let key = try PrivateKey.generate(.ed25519)
        let one = try SampleArchive(keys: [key])
        let other = try SampleArchive(keys: [key])
        let anchored = try await one.write([300])
        try await other.write([300, 20])
        let report = try await other.verify { $0.anchors = try other.anchors([anchored.checkpoint]) }
        #expect(report.verdict == .forked)
        #expect(report.findings.first?.leaf == 299)
    }

    @Test func `an anchored log that is missing is reported`() async throws {
        let archive = try SampleArchive()
        let writer = try await archive.write([3])
        let report = try await archive.verify(MemoryStore()) { $0.anchors = try archive.anchors([writer.checkpoint]) }
        #expect(report.verdict == .rolledBack)
        #expect(report.findings.first?.object?.text == "appstore.notifications/0")
        #expect(!report.isAnchored)
    }

    @Test func `an anchored log with nothing but its directory is rolled back`() async throws {
        let directory = try TemporaryDirectory()
        let archive = try SampleArchive(store: DirectoryStore(path: directory.file("archive"), creating: true))
        let writer = try await archive.write([3])
        try await archive.write([5], to: archive.names("appstore.notifications", 1))
        let log = directory.file("archive/appstore.notifications/0")
        try FileManager.default.removeItem(atPath: log)
        try FileManager.default.createDirectory(atPath: log, withIntermediateDirectories: true)
        #expect(try await archive.verify().findings.isEmpty)
        let report = try await archive.verify { $0.anchors = try archive.anchors([writer.checkpoint]) }
        #expect(report.verdict == .rolledBack)
        #expect(report.logs.first?.findings.first?.message.contains("3 leaves") == true)
    }

    @Test func `a log with leaves and without an anchor is unanchored, an empty one is not`() async throws {
        let archive = try SampleArchive()
        let (first, second) = (try archive.names(), try archive.names("appstore.notifications", 1))
        let one = try await archive.write([3], to: first)
        let two = try await archive.write([4], to: second)
        try await archive.write([], to: archive.names("appstore.notifications", 2))
        let half = try await archive.verify { $0.anchors = try archive.anchors([one.checkpoint]) }
        #expect(half.verdict == .unanchored && !half.isAnchored)
        #expect(half.findings.map(\.log) == [second.partition])
        let whole = try await archive.verify { $0.anchors = try archive.anchors([one.checkpoint, two.checkpoint]) }
        #expect(whole.findings.isEmpty && whole.isAnchored)
        #expect(whole.logs.map(\.anchoredSize) == [3, 4, nil])
    }

    @Test func `the largest of all checkpoints from elsewhere is used, in any order`() async throws {
        let store = MemoryStore()
        let archive = try SampleArchive(store: store)
        let early = try await archive.write([10]).checkpoint
        let middle = MemoryStore(store.objects)
        let late = try await archive.write([10]).checkpoint
        for notes in [[early, late], [late, early]] {
            #expect(try await archive.verify(middle) { $0.anchors = try archive.anchors(notes) }.verdict == .rolledBack)
            let report = try await archive.verify { $0.anchors = try archive.anchors(notes) }
            #expect(report.findings.isEmpty && report.logs.first?.anchors == 2)
        }
    }

    @Test func `checkpoints that no given key signed are counted and do not change the verdict`() async throws {
        let archive = try SampleArchive()
        let forger = try SampleArchive()
        let own = try await archive.write([3]).checkpoint
        let forged = try await forger.write([9]).checkpoint
        var cut = try await SampleArchive(keys: [PrivateKey.generate(.ed25519)]).write([5]).checkpoint.bytes
        cut.removeLast(30)
        var anchors = try archive.anchors([own, forged])
        anchors.add(bytes: cut)
        anchors.add(bytes: [1, 2, 3])
        let report = try await archive.verify { $0.anchors = anchors }
        #expect(report.findings.isEmpty && report.isAnchored)
        #expect(anchors.count == 1 && anchors.unverified.values.reduce(0, +) == 1 && anchors.otherNotes == 2)
    }

    @Test func `a checkpoint of another archive is not compared, even if the same key signed it`() async throws {
        let key = try PrivateKey.generate(.ed25519)
        let archive = try SampleArchive(keys: [key])
        let own = try await archive.write([3]).checkpoint
        let retired = try CheckpointSigner(archive: "archive.example.com/old", keys: [key])
        let gone = try await LogWriter.open(
            MemoryStore(), names: archive.names("appstore.retired", 3), signer: retired, at: 1_700_000_000)
        var writer = gone
        try writer.append(archive.entry(archive.names("appstore.retired", 3), offset: 0))
        try await writer.commit(at: 1_700_000_001)
        let both = ArchiveVerifiers(try archive.verifiers.verifiers + retired.verifiers().verifiers)
        let report = try await archive.verify {
            $0.verifiers = both
            $0.anchors = AnchoredCheckpoints([own, writer.checkpoint], verifiers: both)
        }
        #expect(report.findings.isEmpty && report.isAnchored)
        #expect(report.otherArchives == ["archive.example.com/old/appstore.retired/3"])
    }

    @Test func `a changed checkpoint does not hide other changes`() async throws {
        let store = MemoryStore()
        let archive = try SampleArchive(store: store)
        try await archive.write([300])
        let checkpoint = "appstore.notifications/0/checkpoint"
        store.objects[checkpoint]?[70] ^= 1
        let alone = try await archive.verify()
        #expect(alone.findings.map { $0.object?.text } == [checkpoint])
        #expect(alone.logs.first?.leaves == 300)
        store.objects["appstore.notifications/0/segments/001.p/44"] = nil
        store.objects["appstore.notifications/0/tile/entries/000"]?[40] ^= 1
        let report = try await archive.verify()
        #expect(report.verdict == .tampered)
        #expect(
            report.findings.map { $0.object?.text } == [
                checkpoint, "appstore.notifications/0/tile/entries/000", "appstore.notifications/0/segments/001.p/44",
            ])
    }

    @Test(arguments: [
        ("segments/000", 255, [0x41]), ("segments/000", 255, [0, 0, 0, 0]), ("segments/001.p/44", 299, [7]),
    ])
    func `bytes after the last object of a segment are reported with the segment and its last leaf`(
        _ name: String, leaf: Int, bytes: [UInt8]
    ) async throws {
        let store = MemoryStore()
        let archive = try SampleArchive(store: store)
        try await archive.write([300])
        store.objects["appstore.notifications/0/\(name)"]?.append(contentsOf: bytes)
        let report = try await archive.verify()
        #expect(report.verdict == .tampered)
        #expect(report.findings.map { $0.object?.text } == ["appstore.notifications/0/\(name)"])
        #expect(report.findings.first?.leaf == leaf)
        #expect(report.findings.first?.message.contains("\(bytes.count) extra bytes after") == true)
    }

    @Test func `a truncated segment is reported with the first leaf without an object`() async throws {
        let store = MemoryStore()
        let archive = try SampleArchive(store: store)
        try await archive.write([300])
        store.objects["appstore.notifications/0/segments/000"]?.removeLast(1)
        let report = try await archive.verify()
        #expect(report.findings.map(\.leaf) == [255])
        #expect(report.findings.first?.object?.text == "appstore.notifications/0/segments/000")
    }

    @Test func `a segment that the retention deletes during verification is not a finding`() async throws {
        let archive = try SampleArchive()
        let writer = try await archive.write([600])
        let store = InterruptedStore(archive.store, reading: "/segments/000") {
            _ = try? await archive.prune(archivedBefore: SampleArchive.start + 300, size: writer.size)
        }
        let report = try await archive.verify(store)
        #expect(report.findings.isEmpty)
        #expect(report.logs.first?.prunedObjects == 256)
    }

    @Test func `a log that was signed again by another key has an unknown key`() async throws {
        let archive = try SampleArchive()
        let forger = try SampleArchive()
        try await forger.write([300])
        #expect(try await archive.verify(forger.store).verdict == .unknownKey)
    }

    @Test func `during a key rotation a checkpoint signed by either key is valid`() async throws {
        let (old, new) = (try PrivateKey.generate(.ed25519), try PrivateKey.generate(.ed25519))
        let store = MemoryStore()
        try await SampleArchive(store: store, keys: [old]).write([10])
        try await SampleArchive(store: store, keys: [old, new]).write([10], at: 1_800_000_050)
        try await SampleArchive(store: store, keys: [new, old]).write([10], at: 1_800_000_100)
        let both = try SampleArchive(store: store, keys: [old, new])
        #expect(try await both.verify().findings.isEmpty)
        #expect(try await SampleArchive(store: store, keys: [old]).verify().findings.isEmpty)
    }

    @Test func `missing offsets without a gap leaf are incomplete, except in compacted topics`()
        async throws
    {
        let archive = try SampleArchive()
        try await archive.write([10, 5])
        try await archive.write([5], from: 20)
        let report = try await archive.verify()
        #expect(report.verdict == .incomplete)
        #expect(report.findings.map(\.offset) == [15])
        #expect(report.findings.map(\.leaf) == [15])
    }

    @Test func `a gap leaf with offsets that Kafka had deleted is incomplete, with the range`() async throws {
        let archive = try SampleArchive()
        let names = try archive.names()
        var writer = try await archive.write([10])
        for (missing, reason) in [(10..<20, ArchiveGap.Reason.deleted), (20..<25, .noRecord)] as [(Range<Int64>, _)] {
            try writer.append(
                ArchiveEntry(
                    gap: missing, reason: reason, of: names.partition, clusterId: "cluster",
                    archivedAtMilliseconds: SampleArchive.start + 10))
        }
        try writer.append(archive.entry(names, offset: 25))
        try await writer.commit(at: 1_800_000_010)
        let report = try await archive.verify()
        #expect(report.findings.count == 1)
        #expect(report.verdict == .incomplete)
        #expect(report.findings.first?.offset == 10)
        #expect(report.findings.first?.message.contains("10 to 19") == true)
        #expect(report.logs.first?.emptyRanges == 1)
        let reader = LogReader(archive.store, names: names, verifiers: try archive.verifiers)
        #expect(try await reader.index(of: 15, size: 13) == 10)
        #expect(try await reader.index(of: 22, size: 13) == 11)
        #expect(try await reader.index(of: 25, size: 13) == 12)
        #expect(try await reader.index(of: 26, size: 13) == nil)
    }

    @Test func `a repeated offset and a leaf older than the previous one are reported`() async throws {
        let archive = try SampleArchive()
        let names = try archive.names()
        var writer = try await archive.write([10])
        try writer.append(archive.entry(names, offset: 9, archivedAt: SampleArchive.start + 20))
        try writer.append(archive.entry(names, offset: 10, archivedAt: SampleArchive.start + 19))
        try await writer.commit(at: 1_800_000_010)
        let report = try await archive.verify()
        #expect(report.findings.map(\.leaf) == [10, 11])
        #expect(report.verdict == .tampered)
    }

    @Test func `segments may be missing only if a signed retention states their deletion`() async throws {
        let store = MemoryStore()
        let archive = try SampleArchive(store: store)
        try await archive.write([600])
        let pruned = try await archive.prune(archivedBefore: SampleArchive.start + 300, size: 600)
        #expect(pruned == 1)
        let report = try await archive.verify()
        #expect(report.findings.isEmpty && report.logs.first?.prunedObjects == 256)

        let retention = "appstore.notifications/0/retention"
        let kept = store.objects[retention]
        store.objects[retention] = nil
        let without = try await archive.verify()
        #expect(without.verdict == .tampered)
        #expect(without.findings.first?.object?.text == "appstore.notifications/0/segments/000")
        var changed = kept ?? []
        changed[changed.count / 2] ^= 1
        store.objects[retention] = changed
        #expect(try await archive.verify().verdict == .tampered)
        store.objects[retention] = kept
        store.objects["appstore.notifications/0/segments/001"] = nil
        #expect(try await archive.verify().findings.first?.leaf == 256)
    }

    @Test
    func `a past checkpoint of another tree is forked if the key signed it, and tampered without a key`()
        async throws
    {
        let key = try PrivateKey.generate(.ed25519)
        let (store, others) = (MemoryStore(), MemoryStore())
        let archive = try SampleArchive(store: store, keys: [key])
        let other = try SampleArchive(store: others, keys: [key])
        try await archive.write([10, 20, 30])
        try await other.write([10], from: 0)
        try await other.write([20], from: 500)
        let name = "appstore.notifications/0/checkpoints/030"
        store.objects[name] = others.objects[name]
        #expect(try await archive.verify().verdict == .forked)
        let unsigned = try await archive.verify { $0.verifiers = nil }
        #expect(unsigned.verdict == .tampered)
        #expect(unsigned.findings.first?.object?.text == name)
    }

    @Test func `a missing checkpoint or one with a wrong root is detected, with or without a key`()
        async throws
    {
        let store = MemoryStore()
        let archive = try SampleArchive(store: store)
        try await archive.write([10, 20])
        let name = "appstore.notifications/0/checkpoint"
        let checkpoint = try #require(store.objects[name])
        store.objects[name] = nil
        #expect(try await archive.verify().findings.map { $0.object?.text } == [name])
        var lines = String(decoding: checkpoint, as: UTF8.self).split(
            separator: "\n", omittingEmptySubsequences: false
        ).map(String.init)
        lines[2] = MerkleHash.leaf([1]).base64
        store.objects[name] = Array(lines.joined(separator: "\n").utf8)
        let report = try await archive.verify { $0.verifiers = nil }
        #expect(report.verdict == .tampered)
        #expect(report.findings.first?.object?.text == name)
    }

    @Test func `a changed tile above full tiles is detected`() async throws {
        let store = MemoryStore()
        let archive = try SampleArchive(store: store)
        try await archive.write([65_600], to: archive.names("appstore.certificates"), kind: .certificate)
        let name = "appstore.certificates/0/tile/1/000"
        store.objects[name]?[40] ^= 1
        let report = try await archive.verify { $0.checksObjects = false }
        #expect(report.verdict == .tampered)
        #expect(report.findings.map { $0.object?.text } == [name])
        #expect(report.findings.first?.leaf == 256)
    }

    @Test func `a signed checkpoint of the greatest size is tampering`() async throws {
        let store = MemoryStore()
        let archive = try SampleArchive(store: store)
        try await archive.write([300])
        let names = try archive.names()
        let root = try #require(MerkleHash(bytes: [UInt8](repeating: 1, count: 32)))
        let checkpoint = try Checkpoint(
            origin: "\(SampleArchive.origin)/\(names.prefix)", size: .max, root: root)
        let note = try archive.signer.sign(checkpoint, after: 0, at: 1_900_000_000)
        store.objects["appstore.notifications/0/checkpoint"] = note.bytes
        #expect(try await archive.verify().verdict == .tampered)
    }

    @Test func `objects beyond the checkpoint are counted but are not findings`()
        async throws
    {
        let store = MemoryStore()
        let archive = try SampleArchive(store: store)
        try await archive.write([300])
        for name in ["tile/0/001.p/77", "tile/entries/001.p/77", "segments/001.p/77", "other", "tile/0/900/x"] {
            store.objects["appstore.notifications/0/\(name)"] = [1, 2, 3]
        }
        let report = try await archive.verify()
        #expect(report.findings.isEmpty)
        #expect(report.logs.first?.leavesBeyond == 33)
        #expect(report.logs.first?.strayObjects == 5)
        store.objects["appstore.notifications/0/tile/0/x036/x028/x797/x018/x963/967"] = [1]
        #expect(try await archive.verify().logs.first?.leavesBeyond == Int.max - 300)
    }

    @Test(arguments: ["tile/0/000.p/", "tile/entries/000.p/"])
    func `a partial tile that a past checkpoint needed must be a prefix of the full one`(folder: String)
        async throws
    {
        let store = MemoryStore()
        let archive = try SampleArchive(store: store)
        try await archive.write([100])
        let name = "appstore.notifications/0/\(folder)100"
        let kept = try #require(store.objects[name])
        try await archive.write([300])
        #expect(store.objects[name] == nil)
        store.objects[name] = kept
        let superfluous = try await archive.verify()
        #expect(superfluous.findings.isEmpty && superfluous.logs.first?.strayNames.map(\.text) == [name])
        store.objects[name]?[35] ^= 1
        let report = try await archive.verify()
        #expect(report.verdict == .tampered)
        #expect(report.findings.map { $0.object?.text } == [name])
        // No signed checkpoint has 99 leaves, so no client reads the tile.
        store.objects["appstore.notifications/0/\(folder)99"] = store.objects.removeValue(forKey: name)
        #expect(try await archive.verify().findings.isEmpty)
    }

    @Test func `a log is intact while its writer continues`() async throws {
        let archive = try SampleArchive()
        try await archive.write([200])
        async let written: LogWriter = archive.write((0..<60).map { 1 + $0 % 40 }, at: 1_800_000_100)
        var size = 0
        while size < 200 + (0..<60).reduce(0, { $0 + 1 + $1 % 40 }) {
            let report = try await archive.verify()
            #expect(report.findings.isEmpty)
            size = report.logs.first?.checkpoint?.checkpoint.size ?? 0
        }
        _ = try await written
    }

    @Test func `progress and inspection cover every leaf once`() async throws {
        let archive = try SampleArchive()
        try await archive.write([300])
        let seen = Mutex<[Int]>([])
        let steps = Mutex<[Int]>([])
        let report = try await archive.verify { options in
            options.inspect = { object in
                seen.withLock { $0.append(object.index) }
                return InspectionOutcome("read", problem: object.index == 7 ? "bad" : nil)
            }
            options.progress = { _, done, _ in steps.withLock { $0.append(done) } }
        }
        #expect(seen.withLock { $0.sorted() } == Array(0..<300))
        #expect(steps.withLock { $0 } == [256, 300])
        #expect(report.logs.first?.outcomes == ["read": 300])
        #expect(report.findings.map(\.leaf) == [7])
    }
}
