internal import ArchiveFormat
package import ObjectStorage
internal import TransparencyLog

extension LogWriter {
    /// Goes on with a log at its checkpoint, or begins one. The caller holds the store's lock of the log.
    ///
    /// The checkpoint is signed again, with a later time, before anything else is written: on a store without locks every
    /// further checkpoint of an earlier writer is refused.
    ///
    /// - Parameter time: seconds since 1970.
    /// - Throws: ``LogError``: `checkpoint_missing`, `unknown_key`, `damaged` when the tiles at the end do not give the signed
    ///   root, `other_writer`, `storage`.
    package static func open(
        _ store: any ObjectStore, names: LogNames, signer: CheckpointSigner, at time: Int
    ) async throws(LogError) -> LogWriter {
        do {
            guard let found = try await store.read(names.checkpoint()) else {
                return try await begin(store, names, signer, at: time)
            }
            let (checkpoint, committed) = try verified(found, names, signer)
            var writer = LogWriter(store, names: names, signer: signer, committed: committed)
            try await writer.readEnd(of: checkpoint)
            // Later even where the clock is behind: with the same time it would be the same bytes.
            try await writer.sign(at: max(time, committed.time + 1))
            // A process that ended between the two has left none.
            try? await writer.keepCopy()
            return writer
        } catch {
            throw LogError(error, reading: names)
        }
    }

    /// An empty log, with a checkpoint that says so.
    private static func begin(
        _ store: any ObjectStore, _ names: LogNames, _ signer: CheckpointSigner, at time: Int
    ) async throws -> LogWriter {
        guard try await store.list(names.checkpoints(), after: nil, limit: 1).isEmpty else {
            throw LogError.checkpointMissing(names)
        }
        let note = try note(names, signer, MerkleFrontier(), after: 0, at: time)
        let version = try await store.replace(names.checkpoint(), note.bytes, expected: nil)
        return LogWriter(
            store, names: names, signer: signer,
            committed: CommittedCheckpoint(size: 0, previous: 0, time: time, version: version, note: note))
    }

    private static func verified(
        _ found: StoredObject, _ names: LogNames, _ signer: CheckpointSigner
    ) throws -> (Checkpoint, CommittedCheckpoint) {
        let origin = names.origin(archive: signer.archive)
        let note = try SignedNote(bytes: found.bytes)
        let checkpoint = try Checkpoint(text: note.text)
        guard checkpoint.origin == origin else {
            throw LogError.damaged(
                names, "its checkpoint is of \(checkpoint.origin), and by archive.origin it is \(origin)")
        }
        let signatures = try note.verified(by: signer.verifiers().allKeys(of: origin))
        let committed = CommittedCheckpoint(
            size: checkpoint.size, previous: signatures.compactMap(\.previousSize).max() ?? 0,
            time: signatures.compactMap(\.time).max() ?? 0, version: found.version, note: note)
        return (checkpoint, committed)
    }

    /// Reads the partial tiles at the end and what belongs to them, and compares the root.
    private mutating func readEnd(of checkpoint: Checkpoint) async throws {
        let size = checkpoint.size
        guard size > 0 else {
            guard checkpoint.root == .ofEmptyTree else { throw LogError.damaged(names, Self.wrongRoot) }
            return
        }
        var tiles: [HashTile] = []
        for path in TilePath.partialTiles(ofSize: size) {
            tiles.append(try HashTile(path: path, bytes: try await bytes(names.tile(path))))
        }
        frontier = try MerkleFrontier(size: size, tiles: tiles)
        guard frontier.root == checkpoint.root else { throw LogError.damaged(names, Self.wrongRoot) }

        let (full, width) = (size / TilePath.fullWidth, size % TilePath.fullWidth)
        let last = width > 0 ? (full, width) : (full - 1, TilePath.fullWidth)
        let bundle = try EntryBundle(
            bytes: try await bytes(names.tile(.entries(index: last.0, width: last.1))), count: last.1)
        let leaf = try ArchiveLeaf(bytes: Array(bundle[last.1 - 1]))
        guard leaf.position.topicPartition == names.partition else {
            throw LogError.damaged(names, "its last entry is of \(leaf.position.topicPartition)")
        }
        lastLeaf = leaf
        guard width > 0 else { return }
        openLeaves = (0..<width).map { Array(bundle[$0]) }
        openSegment = try await bytes(names.segment(index: full, width: width))
        try checkOpenEnd(tiles)
    }

    private static let wrongRoot = "the hash tiles at its end do not give the root of its checkpoint"

    /// What goes into the next full tile must be what the tree says.
    private func checkOpenEnd(_ tiles: [HashTile]) throws {
        guard let hashes = tiles.first(where: { $0.path == TilePath.partialTiles(ofSize: size).first })?.hashes,
            openLeaves.map(MerkleHash.leaf) == hashes
        else { throw LogError.damaged(names, "the entries at its end do not have the hashes of the tree") }
        let objects = try ArchiveSegment.objects(in: openSegment)
        guard objects.count == openLeaves.count else {
            throw LogError.damaged(names, "the segment at its end has \(objects.count) objects for \(openLeaves.count)")
        }
        for (leaf, range) in zip(openLeaves, objects) {
            guard try ArchiveLeaf(bytes: leaf).describes(Array(openSegment[range])) else {
                throw LogError.damaged(names, "an object at its end is not the one of its entry")
            }
        }
    }

    private func bytes(_ name: ObjectName) async throws -> [UInt8] {
        guard let found = try await store.read(name) else {
            throw LogError.damaged(names, "\(name) is missing")
        }
        return found.bytes
    }
}
