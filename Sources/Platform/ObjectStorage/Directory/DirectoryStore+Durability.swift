internal import Glibc
internal import Synchronization

extension DirectoryStore {
    static let writerLock = ".writer.lock"

    /// Files, then folders. A file that fails once is not tried again: the system may have dropped the bytes, and the
    /// next call would say that all is well.
    func synchronizeNow() throws(ObjectStoreError) {
        let batch = unsynchronized.take()
        for (name, file) in batch.files {
            do throws(SystemFailure) {
                try calls.synchronize(file.descriptor)
            } catch {
                unsynchronized.failed(name, notDurable(error, tree.path(name)))
            }
        }
        var failure: ObjectStoreError?
        for folder in batch.folders {
            do throws(SystemFailure) {
                try calls.synchronize(folder.descriptor)
            } catch {
                unsynchronized.add(folder)
                failure = failure ?? notDurable(error, tree.path(folder.name))
            }
        }
        if let failure = unsynchronized.failure ?? failure { throw failure }
    }

    func lockNow(_ prefix: ObjectName) throws(ObjectStoreError) -> any ObjectStoreLock {
        let (folder, file) = try inFolder(prefix) { (folder) throws(ObjectStoreError) in
            try openLockFile(Self.writerLock, in: folder).map { (folder, $0) }
        }
        let path = "\(tree.path(prefix))/\(Self.writerLock)"
        do throws(SystemFailure) {
            try calls.lock(file.descriptor, waiting: false)
        } catch {
            guard error.number == EWOULDBLOCK else { throw DirectoryProblem.error(error, "lock \(path)") }
            throw ObjectStoreError(
                .locked, "\(path) is held by another writer: stop it, or give this one another directory")
        }
        // The last writer may have ended between a rename and the synchronisation of the folder: what is read now as the
        // state of the log must not change back at a power loss.
        try makeEntriesDurable(folder)
        return DirectoryLock(file, calls)
    }

    /// The entries of a folder as they are now, and its own one with those above it.
    func makeEntriesDurable(_ folder: Folder) throws(ObjectStoreError) {
        try synchronizeEntries(of: folder)
        var current = folder
        var synchronized: [Folder] = []
        while let parent = current.parent, !current.isDurable.load(ordering: .acquiring) {
            try synchronizeEntries(of: parent)
            synchronized.append(current)
            current = parent
        }
        for folder in synchronized { folder.isDurable.store(true, ordering: .releasing) }
    }

    private func synchronizeEntries(of folder: Folder) throws(ObjectStoreError) {
        do throws(SystemFailure) {
            try calls.synchronize(folder.descriptor)
        } catch {
            throw DirectoryProblem.error(error, "make \(tree.path(folder.name)) durable")
        }
    }

    private func notDurable(_ failure: SystemFailure, _ path: String) -> ObjectStoreError {
        let error = DirectoryProblem.error(failure, "make \(path) durable")
        return error.code == .full ? error : ObjectStoreError(.notDurable, error.message)
    }
}
