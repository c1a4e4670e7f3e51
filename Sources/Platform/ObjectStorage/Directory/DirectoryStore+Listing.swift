internal import Glibc

extension DirectoryStore {
    func listNow(_ prefix: ObjectName?, after: ObjectName?, limit: Int) throws(ObjectStoreError) -> [ListedObject] {
        var found: [ListedObject] = []
        guard limit > 0, let folder = try tree.existing(prefix, fresh: true) else { return found }
        try collect(folder, after: after, limit: limit, into: &found)
        return found
    }

    func foldersNow(in prefix: ObjectName?) throws(ObjectStoreError) -> [ObjectName] {
        guard let folder = try tree.existing(prefix, fresh: true) else { return [] }
        return try entries(of: folder).filter(\.isFolder).map(\.name).sorted()
    }

    /// An object, or a folder that may contain objects.
    private struct Entry {
        let name: ObjectName
        let isFolder: Bool

        /// The entry's sort key. The names of objects in a folder begin with the folder's name and `/`.
        var order: String { isFolder ? name.text + "/" : name.text }
    }

    private func collect(
        _ folder: Folder, after: ObjectName?, limit: Int, into found: inout [ListedObject]
    ) throws(ObjectStoreError) {
        let sorted = try entries(of: folder).map { ($0, Array($0.order.utf8)) }
            .sorted { $0.1.lexicographicallyPrecedes($1.1) }
        for (entry, order) in sorted {
            if found.count >= limit { return }
            if entry.isFolder {
                // If `after` is not in the folder, all names in the folder are on the same side of `after`.
                if let after, order.lexicographicallyPrecedes(after.text.utf8), !after.isBelow(entry.name) { continue }
                guard let below = try tree.existing(entry.name, fresh: true) else { continue }
                try collect(below, after: after, limit: limit, into: &found)
            } else {
                if let after, entry.name <= after { continue }
                guard let count = try byteCount(entry.name, in: folder) else { continue }
                found.append(ListedObject(name: entry.name, byteCount: count))
            }
        }
    }

    /// Returns the objects and folders. Files without a valid object name do not belong to the store and are ignored.
    private func entries(of folder: Folder) throws(ObjectStoreError) -> [Entry] {
        let prefix = folder.name.map { $0.text + "/" } ?? ""
        do throws(SystemError) {
            return try calls.entries(of: folder.descriptor).compactMap { entry in
                guard entry.kind != .other, let name = try? ObjectName(prefix + entry.name) else { return nil }
                return Entry(name: name, isFolder: entry.kind == .folder)
            }
        } catch {
            // ENOENT means that the folder was removed after it was opened.
            if error.number == ENOENT { return [] }
            throw DirectoryProblem.error(error, "list \(tree.path(folder.name))")
        }
    }

    /// Returns the size of an object, or nil if it has been deleted.
    private func byteCount(_ name: ObjectName, in folder: Folder) throws(ObjectStoreError) -> Int? {
        do throws(SystemError) {
            return try calls.status(String(name.lastComponent), in: folder.descriptor).byteCount
        } catch {
            if error.number == ENOENT { return nil }
            throw DirectoryProblem.error(error, "list \(tree.path(name))")
        }
    }
}
