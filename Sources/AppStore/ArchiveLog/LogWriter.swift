package import ArchiveFormat
internal import ObjectStorage
package import TransparencyLog

/// Appends to one log of the archive: the only writer of it.
///
/// What is appended becomes part of the log at ``commit(at:)``: objects, entries and hash tiles are written and durable
/// before the checkpoint that covers them is signed and takes the place of the one before. Nothing but the checkpoint is
/// ever overwritten, so a process that ends at any instant leaves the log as its last checkpoint says.
///
/// In a store with locks the objects are written under their names first, and what a process leaves there without a
/// checkpoint is removed by the next one. In a store without locks they are staged (``StagedCommit``), and their names are
/// written after the checkpoint. A signed checkpoint is kept by this host before it is published, and is the only one of its
/// size: it is published again, the same bytes, until the store has accepted it.
///
/// A value: a copy made before a call is the state before it.
package struct LogWriter: Sendable {
    /// Copies of checkpoints are so far apart, in seconds.
    package static let copyInterval = 3_600

    let store: any ObjectStore
    let names: LogNames
    let signer: CheckpointSigner
    let heads: (any SignedHeads)?
    let copyInterval: Int
    /// Of all leaves, those that are not committed included.
    var frontier = MerkleFrontier()
    /// The leaves behind the last full tile, and their objects as their segment has them.
    var openLeaves: [[UInt8]] = []
    var openSegment: [UInt8] = []
    /// Full tiles and segments that no committed checkpoint covers.
    private var unwritten: [NamedBytes] = []
    /// The newest checkpoint whose objects are all there.
    var committed: CommittedCheckpoint
    /// A signed checkpoint that is not committed yet.
    var pending: PendingCheckpoint?
    /// The newest copy of a checkpoint.
    var copy: KeptCopy?
    /// Another writer has replaced the checkpoint.
    private var isSuperseded = false
    /// The storage may have dropped what it took: everything is written again.
    private var mustRewrite = false
    /// The last leaf, committed or not.
    package internal(set) var lastLeaf: ArchiveLeaf?
    /// Bytes of objects that are appended and not committed.
    package private(set) var uncommittedBytes = 0

    init(
        _ store: any ObjectStore, names: LogNames, signer: CheckpointSigner, heads: (any SignedHeads)?,
        copyInterval: Int, committed: CommittedCheckpoint
    ) {
        self.store = store
        self.names = names
        self.signer = signer
        self.heads = heads
        self.copyInterval = copyInterval
        self.committed = committed
    }

    /// Leaves, those that are not committed included.
    package var size: Int { frontier.size }
    /// Leaves that the checkpoint covers.
    package var committedSize: Int { committed.size }
    /// The newest signed checkpoint.
    package var checkpoint: SignedNote { committed.note }
    /// The first line of its checkpoints.
    package var origin: String { names.origin(archive: signer.archive) }

    /// Appends a leaf and the object that it describes, in memory.
    ///
    /// - Throws: ``LogError`` with code `storage` for a place that no object can be named after.
    package mutating func append(_ entry: ArchiveEntry) throws(LogError) {
        let leaf = entry.leaf.bytes
        do throws(ArchiveFormatError) {
            try ArchiveSegment.append(entry.object, to: &openSegment)
        } catch { throw LogError(.storage, error.message) }
        openLeaves.append(leaf)
        frontier.append(.leaf(leaf))
        uncommittedBytes += entry.object.count
        lastLeaf = entry.leaf
        guard frontier.size % TilePath.fullWidth == 0 else { return }
        do throws(ObjectStoreError) { try takeFull() } catch { throw LogError(error) }
    }

    private mutating func takeFull() throws(ObjectStoreError) {
        let index = frontier.size / TilePath.fullWidth - 1
        unwritten.append(NamedBytes(name: try names.segment(index: index), bytes: openSegment))
        unwritten.append(NamedBytes(name: try names.tile(.entries(index: index)), bytes: try bundle()))
        for tile in frontier.takeFinishedTiles() {
            unwritten.append(NamedBytes(name: try names.tile(tile.path), bytes: tile.bytes))
        }
        openLeaves.removeAll(keepingCapacity: true)
        openSegment.removeAll(keepingCapacity: true)
    }

    /// Makes everything durable that was appended, under a new checkpoint. Does nothing when nothing was.
    ///
    /// - Parameter time: seconds since 1970; the time in the signature does not go back when the clock does.
    /// - Throws: ``LogError`` when it is not durable: call it again. Its code is `other_writer` when somebody else has written.
    package mutating func commit(at time: Int) async throws(LogError) {
        guard !isSuperseded else { throw LogError.otherWriter(names) }
        try await finishPending()
        guard frontier.size > committed.size else { return }
        let objects: [NamedBytes]
        var staged: ObjectName?
        do throws(ObjectStoreError) {
            try await keepDueCopy()
            objects = unwritten + (try partials(since: committed.size))
            if store.hasLocks { try await write(objects) } else { staged = try await stage(objects) }
        } catch { throw LogError(error) }
        do throws(ObjectStoreError) {
            try await store.synchronize()
        } catch {
            // What could not be made durable once cannot be trusted to be there.
            mustRewrite = true
            throw LogError(error)
        }
        mustRewrite = false
        try sign(at: max(time, committed.time), after: copy?.size ?? 0)
        if let staged {
            pending?.staged = staged
            pending?.objects = objects
        }
        try await finishPending()
    }

    /// Signs the present size. What the checkpoint says is the one before has its copy by then.
    mutating func sign(at time: Int, after previous: Int) throws(LogError) {
        let checkpoint = CommittedCheckpoint(
            size: frontier.size, previous: previous, time: time, version: committed.version,
            note: try Self.note(names, signer, frontier, after: previous, at: time))
        pending = PendingCheckpoint(
            checkpoint: checkpoint, fullObjects: unwritten.count, objectBytes: uncommittedBytes)
    }

    /// Publishes the signed checkpoint, the same bytes at each call, and writes the remaining objects that it covers.
    mutating func finishPending() async throws(LogError) {
        guard var next = pending else { return }
        if !next.isPublished {
            try keepHeads(SignedHeadNotes(published: committed.publishedBytes, signed: next.checkpoint.note.bytes))
            next.checkpoint.version = try await publish(next.checkpoint)
            next.isPublished = true
            pending = next
        }
        try keepHeads(SignedHeadNotes(published: next.checkpoint.note.bytes))
        if let staged = next.staged {
            do throws(ObjectStoreError) {
                for object in next.objects { try await Self.place(object, in: store) }
            } catch { throw LogError(error) }
            // The next opening deletes what this does not.
            try? await store.delete(staged)
        }
        let before = committed.size
        committed = next.checkpoint
        pending = nil
        unwritten.removeFirst(next.fullObjects)
        uncommittedBytes -= next.objectBytes
        if committed.size > before { await tidy(since: before) }
    }

    /// Puts the checkpoint in the place of the one before.
    private mutating func publish(_ next: CommittedCheckpoint) async throws(LogError) -> ObjectVersion {
        do throws(ObjectStoreError) {
            return try await store.replace(names.checkpoint(), next.note.bytes, expected: committed.version)
        } catch { guard error.code == .changed else { throw LogError(error) } }
        do throws(ObjectStoreError) {
            // An earlier attempt may have been carried out without an answer.
            let found = try await store.read(names.checkpoint())
            if let found, found.bytes == next.note.bytes { return found.version }
        } catch { throw LogError(error) }
        // The checkpoint that it would follow is gone: the signature never was part of the log.
        isSuperseded = true
        pending = nil
        throw LogError.otherWriter(names)
    }

    private func keepHeads(_ notes: SignedHeadNotes) throws(LogError) {
        do {
            try heads?.keep(notes, of: origin)
        } catch { throw LogError(.keyStore, "the checkpoint of \(names.prefix) cannot be kept: \(error)") }
    }

    static func note(
        _ names: LogNames, _ signer: CheckpointSigner, _ frontier: MerkleFrontier, after previous: Int, at time: Int
    ) throws(LogError) -> SignedNote {
        do throws(TransparencyLogError) {
            return try signer.sign(
                Checkpoint(
                    origin: names.origin(archive: signer.archive), size: frontier.size, root: frontier.root),
                after: previous, at: time)
        } catch { throw LogError(.signing, "the checkpoint of \(names.prefix) cannot be signed: \(error)") }
    }

    private func bundle() throws(ObjectStoreError) -> [UInt8] {
        do throws(TransparencyLogError) {
            return try EntryBundle(entries: openLeaves).bytes
        } catch { throw ObjectStoreError(.tooLarge, "\(names.prefix): \(error)") }
    }

    /// The partial tiles of the present size, without those that the checkpoint of an earlier size had already.
    private func partials(since size: Int) throws(ObjectStoreError) -> [NamedBytes] {
        var objects: [NamedBytes] = []
        if !openLeaves.isEmpty {
            let (index, width) = (frontier.size / TilePath.fullWidth, openLeaves.count)
            objects.append(NamedBytes(name: try names.segment(index: index, width: width), bytes: openSegment))
            objects.append(
                NamedBytes(name: try names.tile(.entries(index: index, width: width)), bytes: try bundle()))
        }
        let present = TilePath.partialTiles(ofSize: size)
        for tile in frontier.partialTiles() where !present.contains(tile.path) {
            objects.append(NamedBytes(name: try names.tile(tile.path), bytes: tile.bytes))
        }
        return objects
    }

    /// Writes objects that no checkpoint covers yet, under their names: this writer holds the log's lock.
    private func write(_ objects: [NamedBytes]) async throws(ObjectStoreError) {
        for object in objects {
            if mustRewrite { try await store.delete(object.name) }
            try await create(object)
        }
    }

    /// An object that is there already is left by an attempt of this writer that failed.
    private func create(_ object: NamedBytes) async throws(ObjectStoreError) {
        do throws(ObjectStoreError) {
            try await store.create(object.name, object.bytes)
        } catch {
            guard error.code == .exists else { throw error }
            if try await store.read(object.name)?.bytes == object.bytes { return }
            try await store.delete(object.name)
            try await store.create(object.name, object.bytes)
        }
    }
}
