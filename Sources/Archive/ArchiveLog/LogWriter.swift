internal import ObjectStorage
package import TransparencyLog

/// Appends to one log of the archive, as its only writer.
///
/// Appended entries become part of the log in ``commit(at:)``: objects, entries and hash tiles are durable before the
/// new checkpoint is signed and replaces the previous one. Only the checkpoint is ever overwritten, so whenever the
/// process ends, the log is in the state of its last checkpoint.
///
/// In a store with locks, the objects are first written under their own names, and the next process removes any that no
/// checkpoint covers. In a store without locks, the objects are staged (``StagedCommit``), and written under their own
/// names after the checkpoint. This host saves a signed checkpoint before publishing it, and publishes the same bytes
/// until the store has accepted them, so it never signs two different trees of the same size.
///
/// LogWriter is a value type: a copy made before a call keeps the earlier state.
package struct LogWriter: Sendable {
    /// The minimum interval between checkpoint copies, in seconds.
    package static let copyInterval = 3_600

    let store: any ObjectStore
    let names: LogNames
    let signer: CheckpointSigner
    let heads: (any SignedHeads)?
    let copyInterval: Int
    /// The frontier of all leaves, including uncommitted ones.
    var frontier = MerkleFrontier()
    /// The leaves after the last full tile, and their objects encoded as a segment.
    var openLeaves: [[UInt8]] = []
    var openSegment: [UInt8] = []
    /// Full tiles and segments that no committed checkpoint covers yet.
    private var unwritten: [NamedBytes] = []
    /// The newest checkpoint whose objects have all been written.
    var committed: CommittedCheckpoint
    /// A signed checkpoint that has not been committed yet.
    var pending: PendingCheckpoint?
    /// The newest copy of a checkpoint in the store.
    var copy: KeptCopy?
    /// Whether another writer has replaced the checkpoint.
    private var isSuperseded = false
    /// Whether a synchronization failed. The storage may then have lost data, so all objects must be written again.
    private var mustRewrite = false
    /// The last leaf, whether committed or not.
    package internal(set) var lastLeaf: ArchiveLeaf?
    /// The number of appended but uncommitted object bytes.
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

    /// The number of leaves, including uncommitted ones.
    package var size: Int { frontier.size }
    /// The number of leaves that the checkpoint covers.
    package var committedSize: Int { committed.size }
    /// The newest signed checkpoint.
    package var checkpoint: SignedNote { committed.note }
    /// The log's origin: the first line of its checkpoints.
    package var origin: String { names.origin(archive: signer.archive) }

    /// Appends a leaf and its object in memory.
    ///
    /// - Throws: ``ArchiveError`` with code `storage` if the object is too long or the index has no valid object name.
    package mutating func append(_ entry: ArchiveEntry) throws(ArchiveError) {
        let leaf = entry.leaf.bytes
        do throws(ArchiveError) {
            try ArchiveSegment.append(entry.object, to: &openSegment)
        } catch { throw ArchiveError(.storage, error.message) }
        openLeaves.append(leaf)
        frontier.append(.leaf(leaf))
        uncommittedBytes += entry.object.count
        lastLeaf = entry.leaf
        guard frontier.size % TilePath.fullWidth == 0 else { return }
        do throws(ObjectStoreError) { try takeFull() } catch { throw ArchiveError(error) }
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

    /// Makes all appended entries durable under a new checkpoint. Does nothing if no entries were appended.
    ///
    /// - Parameter time: seconds since 1970. The signed time never goes back, even if the clock does.
    /// - Throws: ``ArchiveError`` if the entries are not durable. The code `otherWriter` means that another writer has
    ///   replaced the checkpoint. After any other error, call `commit` again.
    package mutating func commit(at time: Int) async throws(ArchiveError) {
        guard !isSuperseded else { throw ArchiveError.otherWriter(names) }
        try await finishPending()
        guard frontier.size > committed.size else { return }
        let objects: [NamedBytes]
        var staged: ObjectName?
        do throws(ObjectStoreError) {
            try await keepDueCopy()
            objects = unwritten + (try partials(since: committed.size))
            if store.hasLocks { try await write(objects) } else { staged = try await stage(objects) }
        } catch { throw ArchiveError(error) }
        do throws(ObjectStoreError) {
            try await store.synchronize()
        } catch {
            // After a failed synchronization, any of the objects may be lost, so write all of them again.
            mustRewrite = true
            throw ArchiveError(error)
        }
        mustRewrite = false
        try sign(at: max(time, committed.time), after: copy?.size ?? 0)
        if let staged {
            pending?.staged = staged
            pending?.objects = objects
        }
        try await finishPending()
    }

    /// Signs a checkpoint of the current size. The checkpoint also states `previous`, the size of the newest existing
    /// copy.
    mutating func sign(at time: Int, after previous: Int) throws(ArchiveError) {
        let checkpoint = CommittedCheckpoint(
            size: frontier.size, previous: previous, time: time, version: committed.version,
            note: try Self.note(names, signer, frontier, after: previous, at: time))
        pending = PendingCheckpoint(
            checkpoint: checkpoint, fullObjects: unwritten.count, objectBytes: uncommittedBytes)
    }

    /// Publishes the signed checkpoint, with the same bytes in every attempt, and writes its remaining objects.
    mutating func finishPending() async throws(ArchiveError) {
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
            } catch { throw ArchiveError(error) }
            // If this fails, the staged object is deleted when the log is next opened.
            try? await store.delete(staged)
        }
        let before = committed.size
        committed = next.checkpoint
        pending = nil
        unwritten.removeFirst(next.fullObjects)
        uncommittedBytes -= next.objectBytes
        if committed.size > before { await tidy(since: before) }
    }

    /// Replaces the previous checkpoint.
    private mutating func publish(_ next: CommittedCheckpoint) async throws(ArchiveError) -> ObjectVersion {
        do throws(ObjectStoreError) {
            return try await store.replace(names.checkpoint(), next.note.bytes, expected: committed.version)
        } catch { guard error.code == .changed else { throw ArchiveError(error) } }
        do throws(ObjectStoreError) {
            // An earlier attempt may have succeeded without a response.
            let found = try await store.read(names.checkpoint())
            if let found, found.bytes == next.note.bytes { return found.version }
        } catch { throw ArchiveError(error) }
        // Another writer has replaced the previous checkpoint, so this one never became part of the log.
        isSuperseded = true
        pending = nil
        throw ArchiveError.otherWriter(names)
    }

    private func keepHeads(_ notes: SignedHeadNotes) throws(ArchiveError) {
        do {
            try heads?.keep(notes, of: origin)
        } catch { throw ArchiveError(.keyStore, "failed to save the checkpoint of \(names.prefix): \(error)") }
    }

    static func note(
        _ names: LogNames, _ signer: CheckpointSigner, _ frontier: MerkleFrontier, after previous: Int, at time: Int
    ) throws(ArchiveError) -> SignedNote {
        do throws(TransparencyLogError) {
            return try signer.sign(
                Checkpoint(
                    origin: names.origin(archive: signer.archive), size: frontier.size, root: frontier.root),
                after: previous, at: time)
        } catch { throw ArchiveError(.signing, "failed to sign the checkpoint of \(names.prefix): \(error)") }
    }

    private func bundle() throws(ObjectStoreError) -> [UInt8] {
        do throws(TransparencyLogError) {
            return try EntryBundle(entries: openLeaves).bytes
        } catch { throw ObjectStoreError(.tooLarge, "\(names.prefix): \(error)") }
    }

    /// Returns the partial segment, entry bundle and hash tiles for the current size, except hash tiles that the tree
    /// of `size` leaves already has.
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

    /// Writes, under their own names, objects that no checkpoint covers yet. This is safe because this writer holds the
    /// log's lock.
    private func write(_ objects: [NamedBytes]) async throws(ObjectStoreError) {
        for object in objects {
            if mustRewrite { try await store.delete(object.name) }
            try await create(object)
        }
    }

    /// Creates an object. An existing object was left by one of this writer's failed attempts.
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
