import ArchiveLog
import Cryptography
import Kafka
import KafkaDevBroker
import ObjectStorage
import ObjectStorageTestSupport
import PipelineTestSupport
import Testing
import TransparencyLog

@testable import Archive

@Suite(.timeLimit(.minutes(5)))
struct StoreAnchorTests {
    private let key: PrivateKey
    private let archive: AnchoredArchive
    private let calls = FaultyCalls(SimulatedDisk())
    private let store: DirectoryStore

    init() throws {
        key = try PrivateKey.generate(.ed25519)
        archive = try AnchoredArchive(key: key)
        store = try DirectoryStore(path: "/anchor", creating: true, calls: calls)
    }

    @Test func `the second store has the newest checkpoint and all others`() async throws {
        let anchor = StoreAnchor(store: store)
        var sizes: [Int] = []
        for count in [1, 255, 1, 500] {
            try await archive.grow(by: count)
            let log = try await archive.log()
            try await anchor.anchor(log)
            try await anchor.anchor(log)
            sizes.append(log.size)
            #expect(try await store.read(try archive.names.checkpoint())?.bytes == log.checkpoint.note.bytes)
        }
        // A log that is signed again with a later time is still the same log.
        try await archive.grow(by: 0, at: 1_900_000_000)
        try await anchor.anchor(try await archive.log())
        let copies = try await store.list(try archive.names.checkpoints(), after: nil, limit: 100).map(\.name)
        #expect(copies == (try sizes.map { try archive.names.checkpoint(size: $0) }))
    }

    @Test func `an archive that was rolled back is detected, and the anchor is unchanged`() async throws {
        try await archive.grow(by: 300)
        let anchored = try await archive.log().checkpoint.note.bytes
        try await StoreAnchor(store: store).anchor(try await archive.log())
        let older = try AnchoredArchive(key: key)
        try await older.grow(by: 299)
        let error = await anchorError { try await StoreAnchor(store: store).anchor(try await older.log()) }
        #expect(error?.code == .conflict)
        #expect(error?.message.contains("has 299 leaves of appstore.notifications/2, but the anchor has 300") == true)
        #expect(try await store.read(try archive.names.checkpoint())?.bytes == anchored)
    }

    @Test(arguments: [300, 301, 1000])
    func `an archive with other leaves is detected, and the anchor is unchanged`(_ size: Int) async throws {
        try await archive.grow(by: 300)
        let anchored = try await archive.log().checkpoint.note.bytes
        try await StoreAnchor(store: store).anchor(try await archive.log())
        let forked = try AnchoredArchive(key: key, content: "other")
        try await forked.grow(by: size)
        let error = await anchorError { try await StoreAnchor(store: store).anchor(try await forked.log()) }
        #expect(error?.code == .conflict)
        #expect(error?.message.contains("forked") == true)
        #expect(try await store.read(try archive.names.checkpoint())?.bytes == anchored)
    }

    @Test func `an object that is not a checkpoint of the log is never replaced`() async throws {
        try await archive.grow(by: 3)
        _ = try await store.replace(try archive.names.checkpoint(), Array("else".utf8), expected: nil)
        let error = await anchorError { try await StoreAnchor(store: store).anchor(try await archive.log()) }
        #expect(error?.code == .conflict)
        #expect(try await store.read(try archive.names.checkpoint())?.bytes == Array("else".utf8))
    }

    @Test func `a failing store is retried later, regardless of the call that fails`() async throws {
        try await archive.grow(by: 3)
        let old = try await archive.log()
        try await archive.grow(by: 3)
        let new = try await archive.log()
        for number in 1... {
            let disk = SimulatedDisk()
            let calls = FaultyCalls(disk)
            let store = try DirectoryStore(path: "/anchor", creating: true, calls: calls)
            try await StoreAnchor(store: store).anchor(old)
            calls.reset([FaultyCalls.Fault(nil, number: number)])
            var code: ArchiveServiceError.Code?
            do throws(ArchiveServiceError) { try await StoreAnchor(store: store).anchor(new) } catch {
                code = error.code
            }
            #expect(code == nil || code == .unavailable, "call \(number)")
            // If a write could not be made durable, this store fails until the process is restarted.
            let next = try DirectoryStore(path: "/anchor", creating: false, calls: disk.afterDeath())
            try await StoreAnchor(store: next).anchor(new)
            #expect(try await next.read(try archive.names.checkpoint())?.bytes == new.checkpoint.note.bytes)
            if calls.total < number { return }
        }
    }

    @Test func `a bucket that ignores conditions is rejected as an anchor`() async throws {
        try await archive.grow(by: 3)
        let bucket = SimulatedBucket("bucket", .withoutIfNoneMatch)
        let anchor = StoreAnchor(store: try bucket.store())
        #expect(await anchorError { try await anchor.anchor(try await archive.log()) } != nil)
        let heeding = SimulatedBucket()
        try await StoreAnchor(store: try heeding.store()).anchor(try await archive.log())
        #expect(
            heeding.bytes(of: "appstore.notifications/2/checkpoint")
                == (try await archive.log()).checkpoint.note.bytes)
    }

    @Test func `the topic of checkpoints contains a record for each checkpoint`() async throws {
        let topic: KafkaTopic = "appstore.archive.checkpoints"
        let broker = try DevBroker(topics: [topic: 1])
        let kafka = try KafkaConfiguration(bootstrapServers: broker.bootstrapServers, profile: .embedded)
        let anchor = KafkaAnchor(kafka: kafka, topic: topic)
        var notes: [[UInt8]] = []
        for _ in 0..<3 {
            try await archive.grow(by: 100)
            let log = try await archive.log()
            try await anchor.anchor(log)
            notes.append(log.checkpoint.note.bytes)
        }
        let records = try await kafka.records(of: [topic], partitions: 1)
        #expect(records.map(\.value) == notes)
        #expect(records.allSatisfy { $0.key == Array(AnchoredArchive.logOrigin.utf8) })
        await anchor.close(within: .seconds(5))
        #expect(await anchorError { try await anchor.anchor(try await archive.log()) } != nil)
        await broker.stop()
    }
}
