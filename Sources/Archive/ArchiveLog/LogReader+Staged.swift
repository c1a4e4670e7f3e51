internal import ObjectStorage
internal import TransparencyLog

extension LogReader {
    /// Returns the first candidate object found in a checkpoint's staged commit, or nil if none is staged. In a store
    /// without locks, a checkpoint is published before its objects are written under their own names.
    func staged(
        _ candidates: [ObjectName], of checkpoint: Checkpoint
    ) async throws(ArchiveError) -> (bytes: [UInt8], name: ObjectName)? {
        guard !store.hasLocks else { return nil }
        do throws(ObjectStoreError) {
            for (name, staged) in try await LogWriter.staged(store, names) where staged.isOf(checkpoint) {
                guard let found = try await store.read(name), let commit = StagedCommit(bytes: found.bytes, of: names)
                else { continue }
                for candidate in candidates {
                    if let object = commit.objects.first(where: { $0.name == candidate }) {
                        return (object.bytes, candidate)
                    }
                }
            }
            return nil
        } catch { throw ArchiveError(error, reading: candidates.first) }
    }
}
