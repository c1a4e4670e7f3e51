internal import Glibc

extension DirectoryStore {
    func createNow(_ name: ObjectName, _ bytes: [UInt8]) throws(ObjectStoreError) {
        let component = String(name.lastComponent)
        try inFolder(name.folder) { (folder) throws(ObjectStoreError) -> Void? in
            let file: OpenFile
            do throws(SystemFailure) {
                file = OpenFile(try calls.open(component, in: folder.descriptor, .creating), calls)
            } catch {
                if error.number == ENOENT { return nil }
                if error.number == EEXIST {
                    try noteExisting(name, in: folder)
                    throw ObjectStoreError(.exists, "\(tree.path(name)) exists already and is not changed")
                }
                throw DirectoryProblem.error(error, "make \(tree.path(name))")
            }
            try fill(file, bytes, component, in: folder, tree.path(name))
            return unsynchronized.add(name, file, in: folder)
        }
    }

    /// The object may be of a process that ended before it had synchronised it, and the caller may rely on what it finds:
    /// the next synchronisation makes it durable. A link is nothing to rely on: reading refuses it.
    private func noteExisting(_ name: ObjectName, in folder: Folder) throws(ObjectStoreError) {
        guard !unsynchronized.contains(name) else { return }
        do throws(ObjectStoreError) {
            guard let file = try opened(name, in: folder) else { return }
            unsynchronized.add(name, file, in: folder)
        } catch {
            guard error.code == .unsafePath else { throw error }
        }
    }

    /// Calls `body` with the folder, made when it is missing, until it gives something: another call may remove the folder,
    /// empty, after it was found.
    func inFolder<Value>(
        _ name: ObjectName?, _ body: (Folder) throws(ObjectStoreError) -> Value?
    ) throws(ObjectStoreError) -> Value {
        for attempt in 0..<4 {
            if let value = try body(try tree.made(name, fresh: attempt > 0)) { return value }
        }
        throw ObjectStoreError(.failed, "cannot write in \(tree.path(name)): the folder is removed again and again")
    }

    func deleteNow(_ name: ObjectName) throws(ObjectStoreError) {
        // What was kept open may have been removed, and made again, by another process.
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

    /// False when there is no such object.
    private func remove(_ name: ObjectName, in folder: Folder) throws(ObjectStoreError) -> Bool {
        do throws(SystemFailure) {
            try calls.remove(String(name.lastComponent), in: folder.descriptor)
            return true
        } catch {
            // A folder of that name is no object.
            if error.number == ENOENT || error.number == EISDIR { return false }
            throw DirectoryProblem.error(error, "delete \(tree.path(name))")
        }
    }

    /// Writes a new file; one that cannot be written whole is removed again.
    func fill(
        _ file: OpenFile, _ bytes: [UInt8], _ component: String, in folder: Folder, _ path: String
    ) throws(ObjectStoreError) {
        do throws(SystemFailure) {
            try bytes.span.withUnsafeBytes { (bytes) throws(SystemFailure) in
                var rest = bytes
                while !rest.isEmpty {
                    let count = try calls.write(file.descriptor, rest)
                    rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
                }
            }
        } catch {
            // When this fails too, the file is what a crash would leave: the next writer of it is told that it exists.
            try? calls.remove(component, in: folder.descriptor)
            unsynchronized.add(folder)
            throw DirectoryProblem.error(error, "write \(path)")
        }
    }
}
