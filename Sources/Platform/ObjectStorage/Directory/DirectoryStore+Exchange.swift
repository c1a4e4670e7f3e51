internal import Glibc
internal import Synchronization

extension DirectoryStore {
    static let exchangeLock = ".exchange.lock"

    /// New content is written beside the old one, made durable, and renamed over it; then the folder is made durable.
    /// Versions are compared under a lock of the folder, so that of two processes one is told that it was too late.
    func replaceNow(
        _ name: ObjectName, _ bytes: [UInt8], expected: ObjectVersion?
    ) throws(ObjectStoreError) -> ObjectVersion {
        try inFolder(name.folder) { (folder) throws(ObjectStoreError) in
            try folder.exchange.withLock { (lockFile) throws(ObjectStoreError) -> ObjectVersion? in
                // A folder with a lock file is never empty, so it is not removed any more.
                if lockFile == nil { lockFile = try openLockFile(Self.exchangeLock, in: folder) }
                guard let held = lockFile else { return nil }
                do throws(SystemFailure) {
                    try calls.lock(held.descriptor, waiting: true)
                } catch {
                    throw DirectoryProblem.error(error, "lock \(tree.path(folder.name))/\(Self.exchangeLock)")
                }
                defer { calls.unlock(held.descriptor) }
                try exchange(name, bytes, expected, in: folder)
                return Self.version(of: bytes)
            }
        }
    }

    private func exchange(
        _ name: ObjectName, _ bytes: [UInt8], _ expected: ObjectVersion?, in folder: Folder
    ) throws(ObjectStoreError) {
        var found: ObjectVersion?
        if let file = try opened(name, in: folder), let old = try self.bytes(of: file, name, in: 0..<Int.max) {
            found = Self.version(of: old)
        }
        guard found == expected else {
            // The caller may rely on what it finds, which may be of a process that ended before this.
            try makeEntriesDurable(folder)
            throw ObjectStoreError(
                .changed, "\(tree.path(name)) is not of the expected version: another writer was here")
        }
        let component = String(name.lastComponent)
        let temporary = ".\(component).new"
        let file = try openTemporary(temporary, in: folder)
        try fill(file, bytes, temporary, in: folder, "\(tree.path(folder.name))/\(temporary)")
        do throws(SystemFailure) {
            try calls.synchronize(file.descriptor)
            try calls.rename(temporary, to: component, in: folder.descriptor)
        } catch {
            try? calls.remove(temporary, in: folder.descriptor)
            throw DirectoryProblem.error(error, "replace \(tree.path(name))")
        }
        do throws(ObjectStoreError) {
            try makeEntriesDurable(folder)
        } catch {
            // The new content is there, and a power loss may bring the old one back.
            unsynchronized.add(folder)
            throw error
        }
        // The object may have been created by this store: nothing is left of those bytes to synchronise.
        unsynchronized.remove(name)
    }

    /// A new file; one that a crash has left is removed.
    private func openTemporary(_ component: String, in folder: Folder) throws(ObjectStoreError) -> OpenFile {
        do throws(SystemFailure) {
            do throws(SystemFailure) {
                return OpenFile(try calls.open(component, in: folder.descriptor, .creating), calls)
            } catch {
                guard error.number == EEXIST else { throw error }
                try calls.remove(component, in: folder.descriptor)
                return OpenFile(try calls.open(component, in: folder.descriptor, .creating), calls)
            }
        } catch {
            throw DirectoryProblem.error(error, "make \(tree.path(folder.name))/\(component)")
        }
    }

    /// Nil when the folder is gone.
    func openLockFile(_ component: String, in folder: Folder) throws(ObjectStoreError) -> OpenFile? {
        do throws(SystemFailure) {
            return OpenFile(try calls.open(component, in: folder.descriptor, .locking), calls)
        } catch {
            if error.number == ENOENT { return nil }
            throw DirectoryProblem.error(error, "open the lock \(tree.path(folder.name))/\(component)")
        }
    }
}
