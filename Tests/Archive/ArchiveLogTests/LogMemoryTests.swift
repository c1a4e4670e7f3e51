import ArchiveLog
import Cryptography
import HTTPClient
import ObjectStorage
import ObjectStorageTestSupport
import Synchronization
import Testing
import TransparencyLog

/// A writer knows the state of its log before it signs, and signs nothing that contradicts it.
@Suite("Consistency of a log's writer") struct LogMemoryTests {
    private let key: PrivateKey
    private let store = MemoryStore()

    init() throws { key = try PrivateKey.generate(.ed25519) }

    private func log() throws -> WrittenLog { try WrittenLog(store, key: key) }

    @discardableResult
    private func write(upTo ends: [Int64]) async throws -> LogWriter {
        var writer = try await log().open()
        for end in ends {
            try WrittenLog.append(upTo: end, to: &writer)
            try await writer.commit(at: 1_800_000_000)
        }
        return writer
    }

    @Test func `a log that has lost its checkpoints is neither recreated nor changed`() async throws {
        try await write(upTo: [300, 310])
        let names = try log().names
        for name in store.objects.keys where name.hasPrefix("\(names.prefix)/checkpoint") { store.objects[name] = nil }
        let before = store.objects
        let error = await #expect(throws: ArchiveError.self) { _ = try await log().open() }
        #expect(error?.code == .checkpointMissing)
        #expect(store.objects == before)
    }

    @Test func `an older checkpoint next to the copy of a later one is not continued`() async throws {
        try await write(upTo: [300])
        let names = try log().names
        let old = store.objects[try names.checkpoint().text]
        try await write(upTo: [310, 320])
        store.objects[try names.checkpoint().text] = old
        let before = store.objects
        let error = await #expect(throws: ArchiveError.self) { _ = try await log().open() }
        #expect(error?.code.rawValue == "rolled_back")
        #expect(error?.message.contains("checkpoints/") == true)
        #expect(store.objects == before)
    }

    @Test func `after a lost response and a slow service the first checkpoint that was sent is stored`() async throws {
        let bucket = SimulatedBucket()
        let sent = Mutex<[[UInt8]]>([])
        let refused = Atomic(0)
        let store = try bucket.store(attempts: 1) { request throws(HTTPClientError) in
            guard request.method == "PUT", request.url.hasSuffix("/checkpoint"), let body = request.body else {
                return bucket.answer(request)
            }
            let isFirst = sent.withLock { sent in
                if body.count > 0, sent.last != body { sent.append(body) }
                return sent.count
            }
            // The requests of the empty log and of the takeover succeed. The commit succeeds but its response is lost,
            // and the next requests fail.
            if isFirst < 2 { return bucket.answer(request) }
            let number = refused.add(1, ordering: .relaxed).newValue
            if number == 1 {
                _ = bucket.answer(request)
                throw HTTPClientError(code: .timedOut, message: "injected: timed out")
            }
            return number < 5 ? SimulatedBucket.error(503, "SlowDown") : bucket.answer(request)
        }
        let log = try WrittenLog(store, key: key)
        var writer = try await log.open(at: 1_800_000_000)
        try WrittenLog.append(upTo: 10, to: &writer)
        for attempt in 1...4 {
            let error = await #expect(throws: ArchiveError.self) {
                try await writer.commit(at: 1_800_000_000 + attempt)
            }
            #expect(error?.code == .storage)
        }
        try await writer.commit(at: 1_800_000_010)
        #expect(try await log.check().size == 10)
        #expect(sent.withLock { $0.count } == 2, "one checkpoint of the empty log and one of ten leaves")
        try WrittenLog.append(upTo: 20, to: &writer)
        try await writer.commit(at: 1_800_000_011)
        #expect(try await log.check().size == 20)
    }
}
