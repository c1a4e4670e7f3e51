internal import ObjectStorage
internal import TransparencyLog

extension LogReader {
    /// The first of some objects that the commit of a checkpoint has staged: in a store without locks a checkpoint is
    /// published before the names that it covers are written. Nil when it has staged none of them.
    func staged(
        _ candidates: [ObjectName], of checkpoint: Checkpoint
    ) async throws(LogReadError) -> (bytes: [UInt8], name: ObjectName)? {
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
        } catch { throw LogReadError(error, reading: candidates.first) }
    }
}
