internal import ObjectStorage
internal import TransparencyLog

extension LogWriter {
    /// Copies the checkpoint if a copy is due, and deletes objects that the checkpoint has made obsolete. Ignores
    /// failures, which leave the log larger than necessary but correct.
    mutating func tidy(since size: Int) async {
        try? await keepDueCopy()
        let old = size / TilePath.fullWidth
        if size % TilePath.fullWidth > 0,
            let segment = try? names.segment(index: old, width: size % TilePath.fullWidth)
        {
            try? await store.delete(segment)
        }
        // Once the tile is full, its partial versions are no longer needed (c2sp.org/tlog-tiles).
        for path in TilePath.partialTiles(ofSize: size) {
            guard case .hashes(let level) = path.content,
                committed.size >> (8 * (level + 1)) > size >> (8 * (level + 1))
            else { continue }
            await deletePartials(of: path)
            if level == 0 { await deletePartials(of: .entries(index: path.index)) }
        }
    }

    /// Writes `checkpoints/<size>` if the last copy is older by at least ``copyInterval``. An empty log has no copies.
    /// The copy must appear atomically; otherwise, a reader would report a truncated copy as tampered with.
    mutating func keepDueCopy() async throws(ObjectStoreError) {
        let size = committed.size
        guard size > 0, size != copy?.size else { return }
        if let copy, committed.time - copy.time < copyInterval { return }
        let name = try names.checkpoint(size: size)
        do throws(ObjectStoreError) {
            _ = try await store.replace(name, committed.note.bytes, expected: nil)
        } catch {
            guard error.code == .changed else { throw error }
            // After a restart, the writer signs the same tree again, so a copy with other signatures may exist. A copy
            // of a different tree of the same size is an error.
            guard let found = try await store.read(name), let note = try? SignedNote(bytes: found.bytes),
                let kept = try? Checkpoint(text: note.text), let own = try? Checkpoint(text: committed.note.text),
                kept == own
            else {
                throw ObjectStoreError(.failed, "\(name) exists but is not a copy of this log's checkpoint")
            }
        }
        copy = KeptCopy(size: size, time: committed.time)
    }

    private func deletePartials(of path: TilePath) async {
        guard let folder = try? ObjectName(names.tile(path.full).text + ".p"),
            let listed = try? await store.list(folder, after: nil, limit: TilePath.fullWidth)
        else { return }
        for object in listed { try? await store.delete(object.name) }
    }
}
