internal import Glibc
internal import Synchronization

extension DirectoryStore {
    /// Synchronizes the changed files and then the changed folders. Synchronizing a file is never retried after a
    /// failure, because the system may have dropped the file's bytes, and a second fsync would report success. If
    /// synchronizing a folder fails, every file of the batch that is below the folder counts as failed, because the
    /// file's directory entry may be lost.
    func synchronizeNow() throws(ObjectStoreError) {
        let batch = unsynchronized.take()
        for (name, file) in batch.files {
            do throws(SystemError) {
                try calls.synchronize(file.descriptor)
            } catch {
                unsynchronized.failed(name, notDurable(error, tree.path(name)))
            }
        }
        var failure: ObjectStoreError?
        for folder in batch.folders {
            do throws(SystemError) {
                try calls.synchronize(folder.descriptor)
            } catch {
                unsynchronized.add(folder)
                let error = notDurable(error, tree.path(folder.name))
                for name in batch.files.keys where folder.name.map(name.isBelow) ?? true {
                    unsynchronized.failed(name, error)
                }
                failure = failure ?? error
            }
        }
        if let failure = unsynchronized.failure ?? failure { throw failure }
    }

    /// Makes the entries of a folder and of each folder above it durable.
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
        do throws(SystemError) {
            try calls.synchronize(folder.descriptor)
        } catch {
            throw DirectoryProblem.error(error, "make \(tree.path(folder.name)) durable")
        }
    }

    private func notDurable(_ failure: SystemError, _ path: String) -> ObjectStoreError {
        let error = DirectoryProblem.error(failure, "make \(path) durable")
        return error.code == .full ? error : ObjectStoreError(.notDurable, error.message)
    }
}
