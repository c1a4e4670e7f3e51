package import ObjectStorage
package import TransparencyLog

/// Appends to the checkpoint log.
///
/// Two writers may overlap, for example when a partition moves while its former owner hangs. The `pending` object,
/// which is replaced conditionally, decides which writer continues. It contains everything needed to write its
/// checkpoint's objects. Objects are written only after `pending`, so all writers write the same objects and never
/// delete an object that another writer needs.
package struct CheckpointLogWriter: Sendable {
    private let store: any ObjectStore
    private let names: LogNames
    private let signer: CheckpointSigner
    private var frontier = MerkleFrontier()
    /// The entries after the last full bundle.
    private var openEntries: [[UInt8]] = []
    private var pending: Committed
    /// The version of the published checkpoint; nil if there is none.
    private var published: ObjectVersion?
    private let lock: any ObjectStoreLock

    private struct Committed: Sendable {
        let size: Int
        let time: Int
        let previous: Int
        let note: SignedNote
        let version: ObjectVersion
    }

    /// The number of leaves that the newest checkpoint covers.
    package var size: Int { pending.size }
    /// The newest checkpoint.
    package var checkpoint: SignedNote { pending.note }

    /// Opens the log, or creates it. Signs the checkpoint again with a later time, so that any former writer is
    /// refused.
    ///
    /// - Parameter time: seconds since 1970.
    /// - Throws: ``ArchiveError``: `locked`, `otherWriter`, `checkpointMissing` if the log has objects but no `pending`
    ///   object, `damaged`, `unknownKey` or `storage`.
    package static func open(
        _ store: any ObjectStore, signer: CheckpointSigner, at time: Int
    ) async throws(ArchiveError) -> CheckpointLogWriter {
        let names: LogNames
        let lock: any ObjectStoreLock
        do throws(ObjectStoreError) {
            names = try .checkpointLog()
            lock = try await store.lock(names.prefix)
        } catch { throw ArchiveError(error) }
        do {
            return try await open(store, names, signer, lock, at: time)
        } catch {
            lock.release()
            throw ArchiveError(error, writing: names)
        }
    }

    private static func open(
        _ store: any ObjectStore, _ names: LogNames, _ signer: CheckpointSigner, _ lock: any ObjectStoreLock,
        at time: Int
    ) async throws -> CheckpointLogWriter {
        let origin = names.origin(archive: signer.archive)
        let checkpoint = try await store.read(names.checkpoint())
        let found = try await store.read(names.pending())
        guard let found else {
            guard try await store.list(names.prefix, after: nil, limit: 1).isEmpty else {
                throw ArchiveError(
                    .checkpointMissing,
                    """
                    \(names.prefix) has objects, but \(names.prefix)/pending is missing. Nothing is written to the \
                    log. Restore the file from a copy
                    """)
            }
            let note = try LogWriter.note(names, signer, MerkleFrontier(), after: 0, at: time)
            let first = PendingEntries(first: 0, entries: [], note: note)
            let version = try await store.replace(names.pending(), first.bytes, expected: nil)
            var writer = CheckpointLogWriter(
                store: store, names: names, signer: signer,
                pending: Committed(size: 0, time: time, previous: 0, note: note, version: version), published: nil,
                lock: lock)
            try await writer.publish()
            return writer
        }
        guard let state = PendingEntries(bytes: found.bytes) else {
            throw ArchiveError.damaged(names, "its pending object is malformed")
        }
        let verifiers = try signer.verifiers()
        let verified: VerifiedCheckpoint
        do throws(ArchiveError) {
            verified = try VerifiedCheckpoint(state.note, of: origin, verifiers: verifiers)
        } catch {
            throw error.code == .unknownKey
                ? ArchiveError(.unknownKey, "the checkpoint of \(names.prefix): \(error.message)")
                : ArchiveError.damaged(names, error.message)
        }
        let committed = Committed(
            size: verified.checkpoint.size, time: verified.time ?? 0, previous: verified.previousSize ?? 0,
            note: state.note, version: found.version)
        var writer = CheckpointLogWriter(
            store: store, names: names, signer: signer, pending: committed, published: checkpoint?.version, lock: lock)
        try await writer.restore(state, root: verified.checkpoint.root)
        let later = max(time, committed.time + 1)
        try await writer.exchange(
            LogWriter.note(names, signer, writer.frontier, after: committed.previous, at: later), size: committed.size,
            previous: committed.previous, at: later, first: state.first, entries: state.entries)
        try await writer.publish()
        return writer
    }

    private init(
        store: any ObjectStore, names: LogNames, signer: CheckpointSigner, pending: Committed,
        published: ObjectVersion?, lock: any ObjectStoreLock
    ) {
        self.store = store
        self.names = names
        self.signer = signer
        self.pending = pending
        self.published = published
        self.lock = lock
    }

    /// Releases the lock so that other processes can write.
    package func close() { lock.release() }

    /// Restores the right edge of the tree: reads the partial tiles of the tree before the entries in `state`, and
    /// computes the rest from these entries. Also writes any objects of the checkpoint that are missing.
    private mutating func restore(_ state: PendingEntries, root: MerkleHash) async throws {
        guard state.first + state.entries.count == pending.size else {
            throw ArchiveError.damaged(names, "the entries in its pending object do not match its checkpoint")
        }
        var tiles: [HashTile] = []
        // The partial tiles of the tree before these entries. None has level 0, because `first` is a multiple of 256.
        for path in TilePath.partialTiles(ofSize: state.first) {
            tiles.append(try await tile(path, of: state.first))
        }
        frontier = try MerkleFrontier(size: state.first, tiles: tiles)
        for entry in state.entries { frontier.append(.leaf(entry)) }
        guard frontier.root == root else {
            throw ArchiveError.damaged(names, "the hash tiles at its end do not match the root of its checkpoint")
        }
        try await write(state.first, state.entries)
    }

    /// Reads a partial tile from an earlier tree. If the tile has grown since then, returns only the earlier hashes.
    private func tile(_ path: TilePath, of size: Int) async throws -> HashTile {
        guard case .hashes(let level) = path.content else {
            throw ArchiveError.damaged(names, "\(path.text) has no hashes")
        }
        let reader = LogReader(store, names: names, verifiers: nil)
        do throws(ArchiveError) {
            let hashes = try await reader.tile(level: level, index: path.index, size: size).hashes
            return HashTile(path: path, hashes: Array(hashes.prefix(path.width)))
        } catch {
            throw error.code == .storage
                ? ArchiveError(.storage, "\(error)") : ArchiveError.damaged(names, "\(error)")
        }
    }

    /// Appends checkpoints and makes them durable under a new checkpoint of this log. Does nothing for an empty list.
    ///
    /// - Parameter time: seconds since 1970.
    /// - Throws: ``ArchiveError``: `otherWriter` if another process has extended the log. After any error, open the log
    ///   again.
    package mutating func append(_ checkpoints: [Checkpoint], at time: Int) async throws(ArchiveError) {
        guard !checkpoints.isEmpty else { return }
        do {
            let before = pending.size
            let first = before / TilePath.fullWidth * TilePath.fullWidth
            let entries = openEntries + checkpoints.map { Array($0.text.utf8) }
            for entry in entries.suffix(checkpoints.count) { frontier.append(.leaf(entry)) }
            let time = max(time, pending.time)
            let note = try LogWriter.note(names, signer, frontier, after: before, at: time)
            try await exchange(
                note, size: frontier.size, previous: before, at: time, first: first, entries: entries)
            try await write(first, entries)
            try await publish()
            await tidy(since: before)
        } catch { throw ArchiveError(error, writing: names) }
    }

    /// Replaces `pending` with the next checkpoint, which then belongs to the log no matter which writer continues.
    private mutating func exchange(
        _ note: SignedNote, size: Int, previous: Int, at time: Int, first: Int, entries: [[UInt8]]
    ) async throws {
        let next = PendingEntries(first: first, entries: entries, note: note)
        do throws(ObjectStoreError) {
            let version = try await store.replace(names.pending(), next.bytes, expected: pending.version)
            pending = Committed(size: size, time: time, previous: previous, note: note, version: version)
        } catch {
            throw error.code == .changed ? ArchiveError.otherWriter(names) : ArchiveError(error)
        }
    }

    /// Writes the bundles and tiles for the entries.
    private mutating func write(_ first: Int, _ entries: [[UInt8]]) async throws {
        var start = 0
        while start < entries.count {
            let bundle = Array(entries[start..<min(entries.count, start + TilePath.fullWidth)])
            let index = (first + start) / TilePath.fullWidth
            try await create(
                names.tile(.entries(index: index, width: bundle.count)), EntryBundle(entries: bundle).bytes)
            start += TilePath.fullWidth
        }
        for tile in frontier.takeFinishedTiles() + frontier.partialTiles() {
            try await create(names.tile(tile.path), tile.bytes)
        }
        openEntries = Array(entries.suffix(frontier.size % TilePath.fullWidth))
        try await store.synchronize()
    }

    /// Creates an object for a committed checkpoint. If the object exists, it must have the same bytes.
    private func create(_ name: ObjectName, _ bytes: [UInt8]) async throws {
        do throws(ObjectStoreError) {
            try await store.create(name, bytes)
        } catch {
            guard error.code == .exists else { throw error }
            guard try await store.read(name)?.bytes == bytes else {
                throw ArchiveError.damaged(names, "\(name) differs from the object that its checkpoint requires")
            }
        }
    }

    /// Publishes the checkpoint, whose objects must be durable, and then writes a copy of it.
    private mutating func publish() async throws(ArchiveError) {
        do throws(ObjectStoreError) {
            published = try await store.replace(names.checkpoint(), pending.note.bytes, expected: published)
        } catch {
            throw error.code == .changed ? ArchiveError.otherWriter(names) : ArchiveError(error)
        }
        guard pending.size > 0 else { return }
        do throws(ObjectStoreError) {
            _ = try await store.replace(names.checkpoint(size: pending.size), pending.note.bytes, expected: nil)
        } catch {
            guard error.code == .changed else { throw ArchiveError(error) }
        }
    }

    /// Deletes the partial versions of tiles and bundles that have become full. If this fails, the log is larger than
    /// necessary but correct.
    private func tidy(since size: Int) async {
        for path in TilePath.partialTiles(ofSize: size) {
            guard case .hashes(let level) = path.content,
                frontier.size >> (8 * (level + 1)) > size >> (8 * (level + 1))
            else { continue }
            for tile in [path] + (level == 0 ? [.entries(index: path.index)] : []) {
                guard let folder = try? ObjectName(names.tile(tile.full).text + ".p"),
                    let listed = try? await store.list(folder, after: nil, limit: TilePath.fullWidth)
                else { continue }
                for object in listed { try? await store.delete(object.name) }
            }
        }
    }
}
