package import ArchiveFormat
internal import ObjectStorage
package import TransparencyLog

/// Appends to one log of the archive: the only writer of it.
///
/// What is appended becomes part of the log at ``commit(at:)``: objects, entries and hash tiles are written and durable
/// before the checkpoint that covers them is signed and takes the place of the one before. Nothing but the checkpoint is
/// ever overwritten, so a process that ends at any instant leaves the log as its last checkpoint says, and behind it at
/// most files that the next writer replaces.
///
/// A value: a copy made before a call is the state before it.
package struct LogWriter: Sendable {
    let store: any ObjectStore
    let names: LogNames
    let signer: CheckpointSigner
    /// Of all leaves, those that are not committed included.
    var frontier = MerkleFrontier()
    /// The leaves behind the last full tile, and their objects as their segment has them.
    var openLeaves: [[UInt8]] = []
    var openSegment: [UInt8] = []
    /// Full tiles and segments that are not written yet.
    private var unwritten: [NamedBytes] = []
    /// The checkpoint that stands.
    var committed: CommittedCheckpoint
    /// A checkpoint that may have been written without an answer.
    private var attempted: CommittedCheckpoint?
    /// The copy of the checkpoint that stands is there.
    private var hasCopy = false
    /// The storage may have dropped what it took: everything is written again.
    private var mustRewrite = false
    /// The last leaf, committed or not.
    package internal(set) var lastLeaf: ArchiveLeaf?
    /// Bytes of objects that are appended and not committed.
    package private(set) var uncommittedBytes = 0

    struct NamedBytes: Sendable {
        let name: ObjectName
        let bytes: [UInt8]
    }

    struct CommittedCheckpoint: Sendable {
        let size: Int
        /// Leaves of the checkpoint before; 0 when there was none.
        let previous: Int
        /// Of its cosignature, in seconds since 1970.
        let time: Int
        var version: ObjectVersion
        let note: SignedNote
    }

    init(_ store: any ObjectStore, names: LogNames, signer: CheckpointSigner, committed: CommittedCheckpoint) {
        self.store = store
        self.names = names
        self.signer = signer
        self.committed = committed
    }

    /// Leaves, those that are not committed included.
    package var size: Int { frontier.size }
    /// Leaves that the checkpoint covers.
    package var committedSize: Int { committed.size }
    /// The signed checkpoint that stands.
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
        guard frontier.size > committed.size else { return }
        let before = committed.size
        do throws(ObjectStoreError) {
            try await write(unwritten + partials(since: before))
        } catch { throw LogError(error) }
        do throws(ObjectStoreError) {
            try await store.synchronize()
        } catch {
            // What could not be made durable once cannot be trusted to be there.
            mustRewrite = true
            throw LogError(error)
        }
        mustRewrite = false
        try await sign(at: max(time, committed.time))
        unwritten = []
        uncommittedBytes = 0
        await tidy(since: before)
    }

    /// Signs the present size and puts the checkpoint in its place. What it says is the one before has its copy by then.
    mutating func sign(at time: Int) async throws(LogError) {
        let isLater = frontier.size > committed.size
        if isLater, !hasCopy {
            do throws(ObjectStoreError) { try await keepCopy() } catch { throw LogError(error) }
        }
        let previous = isLater ? committed.size : committed.previous
        let note = try Self.note(names, signer, frontier, after: previous, at: time)
        var next = CommittedCheckpoint(
            size: frontier.size, previous: previous, time: time, version: committed.version, note: note)
        do throws(ObjectStoreError) {
            next.version = try await store.replace(names.checkpoint(), note.bytes, expected: committed.version)
            take(next)
        } catch {
            guard error.code == .changed else {
                // It may be there nevertheless.
                attempted = next
                throw LogError(error)
            }
            try await acceptAttempted()
        }
        attempted = nil
    }

    private mutating func take(_ checkpoint: CommittedCheckpoint) {
        if checkpoint.size > committed.size { hasCopy = false }
        committed = checkpoint
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

    /// The checkpoint is not the one before: fine when it is what an earlier attempt wrote.
    private mutating func acceptAttempted() async throws(LogError) {
        let found: StoredObject?
        do throws(ObjectStoreError) {
            found = try await store.read(names.checkpoint())
        } catch { throw LogError(error) }
        guard let found, var attempted, found.bytes == attempted.note.bytes, attempted.size == frontier.size else {
            throw LogError.otherWriter(names)
        }
        attempted.version = found.version
        take(attempted)
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

    private func write(_ objects: [NamedBytes]) async throws(ObjectStoreError) {
        for object in objects {
            if mustRewrite { try await store.delete(object.name) }
            try await create(object)
        }
    }

    /// Creates an object that no checkpoint covers yet. What is in its place was left by a writer that ended before its
    /// checkpoint: this one has signed after it.
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

    /// Keeps a copy of the checkpoint, and deletes what it has made superfluous. What fails here is left: it makes the log
    /// larger, not wrong.
    mutating func tidy(since size: Int) async {
        try? await keepCopy()
        let old = size / TilePath.fullWidth
        if size % TilePath.fullWidth > 0,
            let segment = try? names.segment(index: old, width: size % TilePath.fullWidth)
        {
            try? await store.delete(segment)
        }
        // Where the tile is full now, the partial ones are no longer needed (c2sp.org/tlog-tiles).
        for path in TilePath.partialTiles(ofSize: size) {
            guard case .hashes(let level) = path.content,
                frontier.size >> (8 * (level + 1)) > size >> (8 * (level + 1))
            else { continue }
            await deletePartials(of: path)
            if level == 0 { await deletePartials(of: .entries(index: path.index)) }
        }
    }

    /// `checkpoints/<size>`; there is none of an empty log. Whole or not there, at every instant: a reader takes a copy that
    /// is cut off for one that was changed.
    mutating func keepCopy() async throws(ObjectStoreError) {
        guard committed.size > 0 else { return hasCopy = true }
        do throws(ObjectStoreError) {
            _ = try await store.replace(
                names.checkpoint(size: committed.size), committed.note.bytes, expected: nil)
        } catch {
            guard error.code == .changed else { throw error }
        }
        hasCopy = true
    }

    private func deletePartials(of path: TilePath) async {
        guard let folder = try? ObjectName(names.tile(path.full).text + ".p"),
            let listed = try? await store.list(folder, after: nil, limit: TilePath.fullWidth)
        else { return }
        for object in listed { try? await store.delete(object.name) }
    }
}
