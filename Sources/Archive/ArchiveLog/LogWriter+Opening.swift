package import ObjectStorage
internal import TransparencyLog

extension LogWriter {
    /// Opens a log at its checkpoint, or creates it. The caller must hold the store's lock on the log.
    ///
    /// Signs nothing before the log has been compared with earlier signatures (``LogKnowledge``). An interrupted commit
    /// is finished if its checkpoint was signed, and removed otherwise. Finally, the checkpoint is signed again with a
    /// later time, so that in a store without locks, any further checkpoint from an earlier writer is refused.
    ///
    /// - Parameters:
    ///   - time: seconds since 1970.
    ///   - copyInterval: the minimum number of seconds between checkpoint copies.
    /// - Throws: ``ArchiveError``: `checkpointMissing`, `beginRefused`, `rolledBack` or `forked` if a signed state is
    ///   not in the store, `damaged` if the last tiles do not yield the signed root, `unknownKey`, `otherWriter`,
    ///   `keyStore` or `storage`.
    package static func open(
        _ store: any ObjectStore, names: LogNames, signer: CheckpointSigner, at time: Int,
        knowing knowledge: LogKnowledge = LogKnowledge(), copyInterval: Int = LogWriter.copyInterval
    ) async throws(ArchiveError) -> LogWriter {
        do {
            let opening = try LogOpening(store, names, signer, knowledge)
            guard let found = try await store.read(names.checkpoint()) else {
                try await opening.checkBeginning()
                return try await begin(opening, copyInterval, at: time)
            }
            let staged = try await store.hasLocks ? [] : Self.staged(store, names)
            let committed = try await opening.newest(found, staged)
            var writer = LogWriter(
                store, names: names, signer: signer, heads: knowledge.heads, copyInterval: copyInterval,
                committed: committed)
            let checkpoint = try Checkpoint(text: committed.note.text)
            try await finish(checkpoint, staged: staged, store, names)
            try await writer.readEnd(of: checkpoint)
            try await opening.checkHistory(of: checkpoint, committed.note)
            try await writer.removeLeftovers()
            try await writer.readCopy()
            // Sign with a later time even if the clock is behind. With an equal time, the signed bytes would be the
            // same, and an earlier writer would not be refused.
            try writer.sign(at: max(time, committed.time + 1), after: committed.previous)
            try await writer.finishPending()
            // All staged commits are obsolete, because the checkpoint that they were based on has been replaced.
            for (name, _) in staged { try? await store.delete(name) }
            // An earlier process may have ended after publishing the checkpoint but before copying it, so copy it now.
            try? await writer.keepDueCopy()
            return writer
        } catch {
            throw ArchiveError(error, writing: names)
        }
    }

    /// Creates an empty log, with a checkpoint of size 0.
    private static func begin(_ opening: LogOpening, _ copyInterval: Int, at time: Int) async throws -> LogWriter {
        let (names, signer) = (opening.names, opening.signer)
        let note = try note(names, signer, MerkleFrontier(), after: 0, at: time)
        var writer = LogWriter(
            opening.store, names: names, signer: signer, heads: opening.knowledge.heads, copyInterval: copyInterval,
            committed: CommittedCheckpoint(size: 0, previous: 0, time: time, version: nil, note: note))
        try writer.sign(at: time, after: 0)
        try await writer.finishPending()
        return writer
    }

    /// Reads the latest copy that the checkpoint refers to: the copy of its own size or of the previous size.
    private mutating func readCopy() async throws {
        for size in [committed.size, committed.previous] where size > 0 {
            guard let found = try await store.read(names.checkpoint(size: size)) else { continue }
            let head = try SignedHead(found.bytes, origin: origin, signer: signer)
            return copy = KeptCopy(size: size, time: head.time)
        }
    }

    /// Reads the partial tiles at the end of the log with their entries and segment, and verifies the root.
    private mutating func readEnd(of checkpoint: Checkpoint) async throws {
        let size = checkpoint.size
        guard size > 0 else {
            guard checkpoint.root == .ofEmptyTree else { throw ArchiveError.damaged(names, Self.wrongRoot) }
            return
        }
        var tiles: [HashTile] = []
        for path in TilePath.partialTiles(ofSize: size) {
            tiles.append(try HashTile(path: path, bytes: try await bytes(names.tile(path))))
        }
        frontier = try MerkleFrontier(size: size, tiles: tiles)
        guard frontier.root == checkpoint.root else { throw ArchiveError.damaged(names, Self.wrongRoot) }

        let (full, width) = (size / TilePath.fullWidth, size % TilePath.fullWidth)
        let last = width > 0 ? (full, width) : (full - 1, TilePath.fullWidth)
        let bundle = try EntryBundle(
            bytes: try await bytes(names.tile(.entries(index: last.0, width: last.1))), count: last.1)
        let leaf = try ArchiveLeaf(bytes: Array(bundle[last.1 - 1]))
        guard leaf.position.topicPartition == names.partition else {
            throw ArchiveError.damaged(names, "its last entry belongs to \(leaf.position.topicPartition)")
        }
        lastLeaf = leaf
        guard width > 0 else { return }
        openLeaves = (0..<width).map { Array(bundle[$0]) }
        openSegment = try await bytes(names.segment(index: full, width: width))
        try checkOpenEnd(tiles)
    }

    private static let wrongRoot = "the hash tiles at its end do not match the root of its checkpoint"

    /// Checks that the open entries (the ones after the last full tile) match the hashes of the tree.
    private func checkOpenEnd(_ tiles: [HashTile]) throws {
        guard let hashes = tiles.first(where: { $0.path == TilePath.partialTiles(ofSize: size).first })?.hashes,
            openLeaves.map(MerkleHash.leaf) == hashes
        else { throw ArchiveError.damaged(names, "the entries at its end do not match the hashes of the tree") }
        let objects = try ArchiveSegment.objects(in: openSegment)
        guard objects.count == openLeaves.count else {
            throw ArchiveError.damaged(
                names, "the segment at its end has \(objects.count) objects, not \(openLeaves.count)")
        }
        for (leaf, range) in zip(openLeaves, objects) {
            guard try ArchiveLeaf(bytes: leaf).describes(Array(openSegment[range])) else {
                throw ArchiveError.damaged(names, "an object in the last segment does not match its entry")
            }
        }
    }

    private func bytes(_ name: ObjectName) async throws -> [UInt8] {
        guard let found = try await store.read(name) else {
            throw ArchiveError.damaged(names, "\(name) is missing")
        }
        return found.bytes
    }
}
