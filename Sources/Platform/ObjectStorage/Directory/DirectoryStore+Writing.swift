internal import Glibc

extension DirectoryStore {
    func createNow(_ name: ObjectName, _ bytes: [UInt8]) throws(ObjectStoreError) {
        let component = String(name.lastComponent)
        try inFolder(name.folder) { (folder) throws(ObjectStoreError) -> Void? in
            let file: OpenFile
            do throws(SystemError) {
                file = OpenFile(try calls.open(component, in: folder.descriptor, .creating), calls)
            } catch {
                if error.number == ENOENT { return nil }
                if error.number == EEXIST {
                    try noteExisting(name, in: folder)
                    throw ObjectStoreError(.exists, "\(tree.path(name)) already exists and was not changed")
                }
                throw DirectoryProblem.error(error, "create \(tree.path(name))")
            }
            try fill(file, bytes, component, in: folder, tree.path(name))
            return unsynchronized.add(name, file, in: folder)
        }
    }

    /// Adds an existing object to the next synchronization, because the process that wrote it may have ended before
    /// synchronizing it, and the caller may rely on its content. Does not add symbolic links, because reading them is
    /// refused.
    private func noteExisting(_ name: ObjectName, in folder: Folder) throws(ObjectStoreError) {
        guard !unsynchronized.contains(name) else { return }
        do throws(ObjectStoreError) {
            guard let file = try opened(name, in: folder) else { return }
            unsynchronized.add(name, file, in: folder)
        } catch {
            guard error.code == .unsafePath else { throw error }
        }
    }

    /// Calls `body` with the folder, which is created if missing. Retries up to three times while `body` returns nil,
    /// because another call may remove the folder when it is empty.
    func inFolder<Value>(
        _ name: ObjectName?, _ body: (Folder) throws(ObjectStoreError) -> Value?
    ) throws(ObjectStoreError) -> Value {
        for attempt in 0..<4 {
            if let value = try body(try tree.made(name, fresh: attempt > 0)) { return value }
        }
        throw ObjectStoreError(.failed, "cannot write to \(tree.path(name)): the folder was removed repeatedly")
    }

    func deleteNow(_ name: ObjectName) throws(ObjectStoreError) {
        // Another process may have removed and recreated a folder that this store keeps open. Therefore, the second
        // attempt opens the folder again.
        for fresh in name.folder == nil ? [false] : [false, true] {
            guard let folder = try tree.existing(name.folder, fresh: fresh), try remove(name, in: folder) else {
                continue
            }
            unsynchronized.add(folder)
            tree.removeEmpty(folder)
            break
        }
        unsynchronized.remove(name)
    }

    /// Removes an object. Returns false if it does not exist.
    private func remove(_ name: ObjectName, in folder: Folder) throws(ObjectStoreError) -> Bool {
        do throws(SystemError) {
            try calls.remove(String(name.lastComponent), in: folder.descriptor)
            return true
        } catch {
            // A folder with this name is not an object.
            if error.number == ENOENT || error.number == EISDIR { return false }
            throw DirectoryProblem.error(error, "delete \(tree.path(name))")
        }
    }

    /// Writes the content of a new file. Removes the file if writing fails.
    func fill(
        _ file: OpenFile, _ bytes: [UInt8], _ component: String, in folder: Folder, _ path: String
    ) throws(ObjectStoreError) {
        do throws(SystemError) {
            try bytes.span.withUnsafeBytes { (bytes) throws(SystemError) in
                var rest = bytes
                while !rest.isEmpty {
                    let count = try calls.write(file.descriptor, rest)
                    rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
                }
            }
        } catch {
            // If the removal also fails, the file remains as after a crash, and creating the object again fails with
            // `exists`.
            try? calls.remove(component, in: folder.descriptor)
            unsynchronized.add(folder)
            throw DirectoryProblem.error(error, "write \(path)")
        }
    }
}
