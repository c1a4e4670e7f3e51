import ArchiveLog
import Cryptography
import ObjectStorage
import Synchronization
import Testing
import TransparencyLog

/// A writer that also stores its signed heads outside the archive.
@Suite("Signed heads of a log") struct SignedHeadsTests {
    private let key: PrivateKey
    private let store = MemoryStore()
    private let heads = MemoryHeads()

    init() throws { key = try PrivateKey.generate(.ed25519) }

    private func log() throws -> WrittenLog { try WrittenLog(store, key: key) }

    private func open(
        _ heads: MemoryHeads? = nil, mayBegin: Bool = false, at time: Int = 1_800_000_000,
        anchored: [SignedNote] = [], evidence: String? = nil
    ) async throws -> LogWriter {
        let log = try log()
        let knowledge = LogKnowledge(
            heads: heads ?? self.heads, anchored: { _, _ in anchored }, evidence: { evidence }, mayBegin: mayBegin)
        return try await LogWriter.open(
            store, names: log.names, signer: log.signer, at: time, knowing: knowledge, copyInterval: 0)
    }

    /// Opens the log on a host and commits up to each end.
    @discardableResult
    private func write(_ heads: MemoryHeads? = nil, upTo ends: [Int64]) async throws -> LogWriter {
        var writer = try await open(heads)
        for end in ends {
            try WrittenLog.append(upTo: end, to: &writer)
            try await writer.commit(at: 1_800_000_000)
        }
        return writer
    }

    private func refusal(_ body: () async throws -> LogWriter) async -> ArchiveError.Code? {
        let before = store.objects
        let error = await #expect(throws: ArchiveError.self) { _ = try await body() }
        #expect(store.objects == before, "nothing is written or deleted")
        #expect(error?.needsOperator == true)
        return error?.code
    }

    @Test func `a missing log is not recreated`() async throws {
        try await write(upTo: [300])
        store.objects = [:]
        #expect(await refusal { try await open() } == .beginRefused)
        #expect(try await open(mayBegin: true).size == 0)
        #expect(try await open().size == 0, "only the beginning is remembered now")
    }

    @Test func `a log that was restored to an earlier state is not continued`() async throws {
        try await write(upTo: [300])
        let earlier = store.objects
        try await write(upTo: [310, 600])
        store.objects = earlier
        #expect(await refusal { try await open() } == .rolledBack)
        #expect(try await open(mayBegin: true).size == 300)
        #expect(try await open().size == 300)
    }

    @Test func `a log with another history is not continued`() async throws {
        try await write(upTo: [300])
        let common = store.objects
        try await write(upTo: [310])
        store.objects = common
        // A host without the signed heads continues with other leaves.
        var other = try await open(MemoryHeads())
        for offset in 300..<320 as Range<Int64> { try other.append(WrittenLog.entry(offset + 1_000)) }
        try await other.commit(at: 1_800_000_000)
        #expect(await refusal { try await open() } == .forked)
        #expect(try await open(mayBegin: true).size == 320)
    }

    @Test func `a host continues a log that another host has signed since`() async throws {
        let second = MemoryHeads()
        try await write(upTo: [10, 300])
        try await write(second, upTo: [310, 700])
        try await write(upTo: [710])
        try await write(second, upTo: [720])
        #expect(try await log().check().size == 720)
    }

    @Test(arguments: [[10], [10, 300]] as [[Int64]])
    func `a signed but unpublished checkpoint is published by the next process`(ends: [Int64]) async throws {
        var writer = try await write(upTo: ends)
        try WrittenLog.append(upTo: 400, to: &writer)
        store.fail(replacing: try log().names.checkpoint())
        await #expect(throws: ArchiveError.self) { try await writer.commit(at: 1_800_000_000) }
        let signed = try #require(heads.notes(of: writer.origin).signed)
        // The process ends here.
        let next = try await open()
        #expect(next.size == 400)
        let copy = try #require(store.objects[log().names.checkpoint(size: 400).text])
        #expect(try SignedNote(bytes: copy).text == SignedNote(bytes: signed).text)
        try await log().check()
    }

    @Test func `a log is continued from a published checkpoint that was not recorded as such`() async throws {
        var writer = try await write(upTo: [10])
        try WrittenLog.append(upTo: 20, to: &writer)
        heads.fail(after: 1)
        let error = await #expect(throws: ArchiveError.self) { try await writer.commit(at: 1_800_000_000) }
        #expect(error?.code == .keyStore)
        #expect(try await write(upTo: [30]).size == 30)
        #expect(try await log().check().size == 30)
        let again = try await open()
        #expect(again.size == 30)
    }

    @Test func `no checkpoint is published that could not be recorded first`() async throws {
        var writer = try await write(upTo: [10])
        try WrittenLog.append(upTo: 20, to: &writer)
        heads.fail(after: 0)
        let error = await #expect(throws: ArchiveError.self) { try await writer.commit(at: 1_800_000_000) }
        #expect(error?.code == .keyStore)
        #expect(try await log().check().size == 10)
        try await writer.commit(at: 1_800_000_000)
        #expect(try await log().check().size == 20)
    }

    @Test func `missing files of a signed checkpoint are detected, unless another host continued the log`() async throws
    {
        var writer = try await write(upTo: [10])
        let before = store.objects
        try WrittenLog.append(upTo: 20, to: &writer)
        store.fail(replacing: try log().names.checkpoint())
        await #expect(throws: ArchiveError.self) { try await writer.commit(at: 1_800_000_000) }
        store.objects = before
        #expect(await refusal { try await open() } == .rolledBack)
        _ = try await open(MemoryHeads(), at: 1_800_000_100)
        #expect(try await open().size == 10)
    }

    @Test func `an anchored checkpoint is used if the archive's key has signed it`() async throws {
        let newest = try await write(upTo: [300, 310]).checkpoint
        let otherLog = try WrittenLog(MemoryStore(), key: PrivateKey.generate(.ed25519))
        var other = try await otherLog.open()
        try WrittenLog.append(upTo: 500, to: &other)
        try await other.commit(at: 0)
        let host = MemoryHeads()
        #expect(try await open(host, anchored: [newest, other.checkpoint]).size == 310)
        store.objects = [:]
        #expect(await refusal { try await open(MemoryHeads(), anchored: [newest]) } == .beginRefused)
        #expect(try await open(MemoryHeads(), anchored: [other.checkpoint]).size == 0)
        #expect(await refusal { try await open(MemoryHeads(), anchored: [newest]) } == .rolledBack)
        #expect(try await open(MemoryHeads(), mayBegin: true, anchored: [newest]).size == 0)
    }

    @Test func `a log is not created if there is evidence of an earlier one`() async throws {
        let evidence = "the group has read its partition up to offset 7"
        #expect(await refusal { try await open(evidence: evidence) } == .beginRefused)
        #expect(try await open(mayBegin: true, evidence: evidence).size == 0)
        #expect(try await open(evidence: evidence).size == 0, "it is queried about missing logs")
    }
}

/// Signed heads, stored in memory.
final class MemoryHeads: SignedHeads {
    struct Failure: Error {}

    private struct State {
        var notes: [String: SignedHeadNotes] = [:]
        var failsAfter: Int?
    }

    private let state = Mutex(State())

    func notes(of origin: String) -> SignedHeadNotes { state.withLock { $0.notes[origin] ?? SignedHeadNotes() } }

    /// Makes one call fail after `count` further calls.
    func fail(after count: Int) { state.withLock { $0.failsAfter = count } }

    func keep(_ notes: SignedHeadNotes, of origin: String) throws {
        let fails = state.withLock { state in
            if let count = state.failsAfter {
                state.failsAfter = count > 0 ? count - 1 : nil
                if count == 0 { return true }
            }
            state.notes[origin] = notes
            return false
        }
        if fails { throw Failure() }
    }
}
