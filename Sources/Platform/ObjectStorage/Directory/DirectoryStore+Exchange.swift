internal import Glibc
internal import Synchronization

extension DirectoryStore {
    /// Writes the new content to a temporary file, makes it durable, renames it over the old file, and makes the folder
    /// durable. Versions are compared under a lock, so that only one of two concurrent processes succeeds; the other
    /// gets `changed`.
    func replaceNow(
        _ name: ObjectName, _ bytes: [UInt8], expected: ObjectVersion?
    ) throws(ObjectStoreError) -> ObjectVersion {
        try inFolder(name.folder) { (folder) throws(ObjectStoreError) in
            try folder.exchange.withLock { (lockFile) throws(ObjectStoreError) -> ObjectVersion? in
                let held: OpenFile
                if let open = lockFile { held = open } else { held = try openExchangeLock(of: folder.name) }
                lockFile = held
                do throws(SystemError) {
                    try calls.lock(held.descriptor, waiting: true)
                } catch {
                    throw DirectoryProblem.error(error, "lock the replacement of \(tree.path(name))")
                }
                defer { calls.unlock(held.descriptor) }
                return try exchange(name, bytes, expected, in: folder) ? Self.version(of: bytes) : nil
            }
        }
    }

    /// - Returns: false if another process removed the folder.
    private func exchange(
        _ name: ObjectName, _ bytes: [UInt8], _ expected: ObjectVersion?, in folder: Folder
    ) throws(ObjectStoreError) -> Bool {
        var found: ObjectVersion?
        if let file = try opened(name, in: folder), let old = try self.bytes(of: file, name, in: 0..<Int.max) {
            found = Self.version(of: old)
        }
        guard found == expected else {
            // Another process may have removed and recreated a folder that this store keeps open. In that case, the
            // caller must try again.
            if found == nil, expected != nil, try readNow(name) != nil { return false }
            // Makes the existing object's entry in the folder durable. The caller may rely on the existing content,
            // which an earlier process may have written without making its entry durable.
            try makeEntriesDurable(folder)
            throw ObjectStoreError(
                .changed, "\(tree.path(name)) has an unexpected version: another writer changed it")
        }
        let component = String(name.lastComponent)
        let temporary = ".\(component).new"
        guard let file = try openTemporary(temporary, in: folder) else { return false }
        try fill(file, bytes, temporary, in: folder, "\(tree.path(folder.name))/\(temporary)")
        do throws(SystemError) {
            try calls.synchronize(file.descriptor)
            try calls.rename(temporary, to: component, in: folder.descriptor)
        } catch {
            try? calls.remove(temporary, in: folder.descriptor)
            throw DirectoryProblem.error(error, "replace \(tree.path(name))")
        }
        do throws(ObjectStoreError) {
            try makeEntriesDurable(folder)
        } catch {
            // The new content is in place, but a power loss may still restore the old content.
            unsynchronized.add(folder)
            throw error
        }
        // If this store created the object, the old content may still be registered for synchronization, but that is no
        // longer necessary.
        unsynchronized.remove(name)
        return true
    }

    /// Creates a temporary file, replacing any left over from a crash. Returns nil if the folder no longer exists.
    private func openTemporary(_ component: String, in folder: Folder) throws(ObjectStoreError) -> OpenFile? {
        do throws(SystemError) {
            do throws(SystemError) {
                return OpenFile(try calls.open(component, in: folder.descriptor, .creating), calls)
            } catch {
                guard error.number == EEXIST else { throw error }
                try calls.remove(component, in: folder.descriptor)
                return OpenFile(try calls.open(component, in: folder.descriptor, .creating), calls)
            }
        } catch {
            if error.number == ENOENT { return nil }
            throw DirectoryProblem.error(error, "create \(tree.path(folder.name))/\(component)")
        }
    }
}
