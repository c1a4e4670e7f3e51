internal import ArchiveLog
internal import ObjectStorage
internal import TransparencyLog

/// A second store, preferably in a separate account or with an object lock. Like the archive, it contains
/// `<topic>/<partition>/checkpoint` and everything under `<topic>/<partition>/checkpoints/…`.
///
/// A new checkpoint must begin with the leaves of the previous one; otherwise, the previous one is kept.
struct StoreAnchor: CheckpointAnchor {
    let name = "store"
    let store: any ObjectStore

    func anchor(_ log: AnchoredLog) async throws(ArchiveServiceError) {
        do throws(ObjectStoreError) {
            // The lock prevents two members from writing at the same time. It cannot be acquired in a bucket that
            // ignores conditional requests.
            let lock = try await store.lock(log.names.prefix)
            defer { lock.release() }
            let place = try log.names.checkpoint()
            let found = try await store.read(place)
            let problem = try await problem(log, found)
            if let problem { throw ObjectStoreError(.changed, problem) }
            try await keepCopy(log)
            if found?.bytes != log.checkpoint.note.bytes {
                _ = try await store.replace(place, log.checkpoint.note.bytes, expected: found?.version)
            }
            try await store.synchronize()
        } catch {
            switch error.code {
            case .changed: throw ArchiveServiceError(.conflict, error.message)
            case .corrupt: throw ArchiveServiceError(.answer, error.message)
            case .denied, .noStore, .unsafePath: throw ArchiveServiceError(.refused, error.message)
            default: throw ArchiveServiceError(.unavailable, error.message)
            }
        }
    }

    /// Returns the reason why the new checkpoint is inconsistent with the anchored one, or nil if it is consistent or
    /// none is anchored.
    private func problem(_ log: AnchoredLog, _ found: StoredObject?) async throws(ObjectStoreError) -> String? {
        guard let found else { return nil }
        guard let old = Self.checkpoint(found.bytes), KeyName.areEqual(old.origin, log.checkpoint.checkpoint.origin)
        else { return "the anchor's checkpoint of \(log.names.prefix) is invalid or belongs to a different log" }
        let new = log.checkpoint.checkpoint
        guard old.size <= new.size else {
            return
                "rolled back: the archive has \(new.size) leaves of \(log.names.prefix), but the anchor has \(old.size)"
        }
        let proof: ConsistencyProof
        do throws(ArchiveServiceError) {
            proof = try await log.proof(from: old.size)
        } catch { throw ObjectStoreError(.failed, error.message) }
        guard proof.proves(oldSize: old.size, oldRoot: old.root, newSize: new.size, newRoot: new.root) else {
            return "forked: the first \(old.size) leaves of \(log.names.prefix) differ from the anchored ones"
        }
        return nil
    }

    /// Stores a copy of the checkpoint unless one of the same size exists.
    private func keepCopy(_ log: AnchoredLog) async throws(ObjectStoreError) {
        let name = try log.names.checkpoint(size: log.size)
        do throws(ObjectStoreError) {
            try await store.create(name, log.checkpoint.note.bytes)
        } catch {
            guard error.code == .exists else { throw error }
            guard let copy = try await store.read(name) else { return }
            // After a restart, the same tree is signed again with a later timestamp, so only the roots are compared.
            guard Self.checkpoint(copy.bytes)?.root == log.checkpoint.checkpoint.root else {
                throw ObjectStoreError(.changed, "the anchor has a different \(name)")
            }
        }
    }

    private static func checkpoint(_ bytes: [UInt8]) -> Checkpoint? {
        guard let note = try? SignedNote(bytes: bytes) else { return nil }
        return try? Checkpoint(text: note.text)
    }
}
