internal import Glibc
internal import Synchronization

extension DirectoryStore {
    /// New content is written beside the old one, made durable, and renamed over it; then the folder is made durable.
    /// Versions are compared under a lock, so that of two processes one is told that it was too late.
    func replaceNow(
        _ name: ObjectName, _ bytes: [UInt8], expected: ObjectVersion?
    ) throws(ObjectStoreError) -> ObjectVersion {
        try inFolder(name.folder) { (folder) throws(ObjectStoreError) in
            try folder.exchange.withLock { (lockFile) throws(ObjectStoreError) -> ObjectVersion? in
                let held: OpenFile
                if let open = lockFile { held = open } else { held = try openExchangeLock(of: folder.name) }
                lockFile = held
                do throws(SystemFailure) {
                    try calls.lock(held.descriptor, waiting: true)
                } catch {
                    throw DirectoryProblem.error(error, "lock the exchange of \(tree.path(name))")
                }
                defer { calls.unlock(held.descriptor) }
                return try exchange(name, bytes, expected, in: folder) ? Self.version(of: bytes) : nil
            }
        }
    }

    /// - Returns: false when the folder was removed meanwhile.
    private func exchange(
        _ name: ObjectName, _ bytes: [UInt8], _ expected: ObjectVersion?, in folder: Folder
    ) throws(ObjectStoreError) -> Bool {
        var found: ObjectVersion?
        if let file = try opened(name, in: folder), let old = try self.bytes(of: file, name, in: 0..<Int.max) {
            found = Self.version(of: old)
        }
        guard found == expected else {
            // A folder that was kept open may have been removed, and made again, by another process.
            if found == nil, expected != nil, try readNow(name) != nil { return false }
            // The caller may rely on what it finds, which may be of a process that ended before this.
            try makeEntriesDurable(folder)
            throw ObjectStoreError(
                .changed, "\(tree.path(name)) is not of the expected version: another writer was here")
        }
        let component = String(name.lastComponent)
        let temporary = ".\(component).new"
        guard let file = try openTemporary(temporary, in: folder) else { return false }
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
        return true
    }

    /// A new file; one that a crash has left is removed. Nil when the folder is gone.
    private func openTemporary(_ component: String, in folder: Folder) throws(ObjectStoreError) -> OpenFile? {
        do throws(SystemFailure) {
            do throws(SystemFailure) {
                return OpenFile(try calls.open(component, in: folder.descriptor, .creating), calls)
            } catch {
                guard error.number == EEXIST else { throw error }
                try calls.remove(component, in: folder.descriptor)
                return OpenFile(try calls.open(component, in: folder.descriptor, .creating), calls)
            }
        } catch {
            if error.number == ENOENT { return nil }
            throw DirectoryProblem.error(error, "make \(tree.path(folder.name))/\(component)")
        }
    }
}
