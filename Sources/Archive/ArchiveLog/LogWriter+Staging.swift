internal import ObjectStorage
internal import TransparencyLog

/// Commits in a store without locks: the writer stages the objects, publishes the checkpoint, and then writes the
/// objects under their own names. Only the writer that published the checkpoint, or a later writer of the log, performs
/// the last step.
extension LogWriter {
    /// Writes the objects of the next checkpoint as a single object, so that any later writer can finish the commit.
    func stage(_ objects: [NamedBytes]) async throws(ObjectStoreError) -> ObjectName {
        let name = try names.staged(StagedName(size: frontier.size, root: frontier.root, after: committed.note))
        let bytes = StagedCommit(objects).bytes(of: names)
        do throws(ObjectStoreError) {
            try await store.createTemporary(name, bytes)
        } catch {
            guard error.code == .exists else { throw error }
            // The object already exists if an earlier attempt or another writer with the same leaves has staged the
            // commit.
            guard let found = try await store.read(name), found.bytes != bytes else { return name }
            _ = try await store.replace(name, bytes, expected: found.version)
        }
        return name
    }

    /// Writes an object that a published checkpoint covers. The tree determines the object's bytes, so any writer may
    /// write it at any time. An existing object with different bytes comes from an interrupted writer in an earlier
    /// release.
    static func place(_ object: NamedBytes, in store: any ObjectStore) async throws(ObjectStoreError) {
        do throws(ObjectStoreError) {
            try await store.create(object.name, object.bytes)
        } catch {
            guard error.code == .exists else { throw error }
            guard let found = try await store.read(object.name), found.bytes != object.bytes else { return }
            _ = try await store.replace(object.name, object.bytes, expected: found.version)
        }
    }

    /// Lists a log's staged commits.
    static func staged(
        _ store: any ObjectStore, _ names: LogNames
    ) async throws(ObjectStoreError) -> [(name: ObjectName, staged: StagedName)] {
        var found: [(ObjectName, StagedName)] = []
        var last: ObjectName?
        while true {
            let page = try await store.list(names.staging(), after: last, limit: 1000)
            for object in page {
                if case .staged(let staged) = names.content(object.name) { found.append((object.name, staged)) }
            }
            guard page.count == 1000, let name = page.last?.name else { return found }
            last = name
        }
    }

    /// Writes any objects of the newest checkpoint that are missing because its writer was interrupted.
    static func finish(
        _ checkpoint: Checkpoint, staged: [(name: ObjectName, staged: StagedName)], _ store: any ObjectStore,
        _ names: LogNames
    ) async throws(ObjectStoreError) {
        for (name, staged) in staged where staged.isOf(checkpoint) {
            guard let found = try await store.read(name) else { continue }
            guard let commit = StagedCommit(bytes: found.bytes, of: names) else {
                throw ObjectStoreError(.corrupt, "\(name) is not a staged commit")
            }
            for object in commit.objects { try await place(object, in: store) }
        }
    }
}
