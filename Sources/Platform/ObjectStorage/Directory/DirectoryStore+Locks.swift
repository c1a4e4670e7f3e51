internal import Glibc

/// Lock files are in a separate folder, `.locks`, so that a published log contains only its own files.
extension DirectoryStore {
    static let locks = ".locks"
    static let writerLock = ".writer.lock"
    static let exchangeLock = ".exchange.lock"

    func lockNow(_ prefix: ObjectName) throws(ObjectStoreError) -> any ObjectStoreLock {
        let place = ObjectName(unchecked: "\(Self.locks)/\(prefix)")
        let file = try openLockFile(Self.writerLock, in: place)
        try hold(file, "\(tree.path(place))/\(Self.writerLock)")
        let lock = DirectoryLock(file, calls) { [unsynchronized] in unsynchronized.forgetFailures(below: prefix) }
        guard let folder = try tree.existing(prefix, fresh: true) else { return lock }
        try removeFormerLocks(folder, prefix)
        // The previous writer may have ended between renaming a file and synchronizing its folder. A power loss must
        // not revert the log state that is read after locking.
        try makeEntriesDurable(folder)
        return lock
    }

    /// Opens the lock file that excludes other processes while an object in a folder is being replaced. Each log has
    /// its own lock file.
    func openExchangeLock(of folder: ObjectName?) throws(ObjectStoreError) -> OpenFile {
        let log = folder.map { "/" + $0.components.prefix(2).joined(separator: "/") } ?? ""
        return try openLockFile(Self.exchangeLock, in: ObjectName(unchecked: Self.locks + log))
    }

    private func openLockFile(_ component: String, in place: ObjectName) throws(ObjectStoreError) -> OpenFile {
        try inFolder(place) { (folder) throws(ObjectStoreError) in
            do throws(SystemError) {
                return OpenFile(try calls.open(component, in: folder.descriptor, .locking), calls)
            } catch {
                if error.number == ENOENT { return nil }
                throw DirectoryProblem.error(error, "open the lock \(tree.path(place))/\(component)")
            }
        }
    }

    private func hold(_ file: OpenFile, _ path: String) throws(ObjectStoreError) {
        do throws(SystemError) {
            try calls.lock(file.descriptor, waiting: false)
        } catch {
            guard error.number == EWOULDBLOCK else { throw DirectoryProblem.error(error, "lock \(path)") }
            throw ObjectStoreError(
                .locked, "\(path) is locked by another writer: stop that writer, or use a different directory")
        }
    }

    /// Removes the lock files that an earlier release created next to the objects, after ensuring that no writer of
    /// that release is running.
    private func removeFormerLocks(_ folder: Folder, _ prefix: ObjectName) throws(ObjectStoreError) {
        let path = "\(tree.path(prefix))/\(Self.writerLock)"
        let former: OpenFile
        do throws(SystemError) {
            former = OpenFile(try calls.open(Self.writerLock, in: folder.descriptor, .reading), calls)
        } catch {
            if error.number == ENOENT { return }
            throw DirectoryProblem.error(error, "open the lock \(path)")
        }
        try hold(former, path)
        for name in [nil, "checkpoints", "cosigned"] as [String?] {
            let place = name.map { ObjectName(unchecked: "\(prefix)/\($0)") } ?? prefix
            if let folder = try tree.existing(place) { removeExchangeLocks(folder, isDeep: name != nil) }
        }
        // Remove this file last, because its existence means that other old lock files may remain.
        try? calls.remove(Self.writerLock, in: folder.descriptor)
    }

    /// Removes the exchange lock files. Ignores failures, because these files are not objects.
    private func removeExchangeLocks(_ folder: Folder, isDeep: Bool) {
        try? calls.remove(Self.exchangeLock, in: folder.descriptor)
        guard isDeep, let entries = try? calls.entries(of: folder.descriptor) else { return }
        for entry in entries where entry.kind == .folder {
            let name = ObjectName(unchecked: "\(folder.name?.text ?? "")/\(entry.name)")
            if let below = try? tree.existing(name) { removeExchangeLocks(below, isDeep: true) }
        }
    }
}
