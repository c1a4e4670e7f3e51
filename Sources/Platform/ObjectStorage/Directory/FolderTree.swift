internal import Glibc
internal import Synchronization

/// The folders in a directory. Some are kept open. Symbolic links are refused at every step from the root, so no name
/// can lead outside the directory.
final class FolderTree: Sendable {
    private struct State {
        var open: [String: (folder: Folder, usedAt: UInt64)] = [:]
        var uses: UInt64 = 0
    }

    /// The maximum number of folders kept open for later calls.
    static let maximumOpen = 64

    let path: String
    let root: Folder
    private let calls: any FileCalls
    private let unsynchronized: Unsynchronized
    private let state = Mutex(State())

    init(path: String, root: OpenFile, _ calls: any FileCalls, _ unsynchronized: Unsynchronized) {
        self.path = path
        self.root = Folder(nil, in: nil, root)
        self.calls = calls
        self.unsynchronized = unsynchronized
    }

    func path(_ name: ObjectName?) -> String { name.map { "\(path)/\($0)" } ?? path }

    /// - Parameter fresh: whether to ignore folders that are kept open. Pass true if they may have been removed and
    ///   recreated.
    /// - Returns: the folder, or nil if it does not exist.
    func existing(_ name: ObjectName?, fresh: Bool = false) throws(ObjectStoreError) -> Folder? {
        guard let name else { return root }
        if !fresh, let folder = kept(name) { return folder }
        guard let parent = try existing(name.folder, fresh: fresh),
            let folder = try opened(name, in: parent)
        else { return nil }
        return folder
    }

    /// Returns the folder, and creates it if it is missing. Its entry is always registered for synchronization, because
    /// the process that created the folder may have ended before synchronizing the parent.
    func made(_ name: ObjectName?, fresh: Bool = false) throws(ObjectStoreError) -> Folder {
        guard let name else { return root }
        if !fresh, let folder = kept(name), folder.isNoted.load(ordering: .acquiring) { return folder }
        let parent = try made(name.folder, fresh: fresh)
        let folder: Folder
        if let existing = try opened(name, in: parent) {
            folder = existing
        } else {
            folder = try make(name, in: parent)
        }
        unsynchronized.add(parent)
        folder.isNoted.store(true, ordering: .releasing)
        return folder
    }

    /// Removes the folder if it is empty, and then each folder above it that has become empty.
    func removeEmpty(_ folder: Folder) {
        var folder = folder
        while let name = folder.name, let parent = folder.parent {
            // A folder that is not empty or cannot be removed remains. Empty folders are harmless.
            guard (try? calls.removeFolder(String(name.lastComponent), in: parent.descriptor)) != nil else { return }
            state.withLock { $0.open[name.text] = nil }
            unsynchronized.add(parent)
            folder = parent
        }
    }

    private func make(_ name: ObjectName, in parent: Folder) throws(ObjectStoreError) -> Folder {
        do throws(SystemError) {
            try calls.makeFolder(String(name.lastComponent), in: parent.descriptor)
        } catch {
            // EEXIST means that another call or process has created the folder in the meantime.
            guard error.number == EEXIST else { throw DirectoryProblem.error(error, "create the folder \(path(name))") }
        }
        guard let folder = try opened(name, in: parent) else {
            throw ObjectStoreError(
                .failed,
                "cannot create the folder \(path(name)): an object has the same name, or the folder was removed")
        }
        return folder
    }

    private func opened(_ name: ObjectName, in parent: Folder) throws(ObjectStoreError) -> Folder? {
        let component = String(name.lastComponent)
        do throws(SystemError) {
            let descriptor = try calls.open(component, in: parent.descriptor, .folder)
            let folder = Folder(name, in: parent, OpenFile(descriptor, calls))
            keep(folder, as: name)
            return folder
        } catch {
            if error.number == ENOENT { return nil }
            // An object may have the same name as this folder. In that case, the folder does not exist.
            if error.number == ENOTDIR, let status = try? calls.status(component, in: parent.descriptor),
                status.kind == .file
            {
                return nil
            }
            throw DirectoryProblem.error(error, "open the folder \(path(name))")
        }
    }

    private func kept(_ name: ObjectName) -> Folder? {
        state.withLock { state in
            guard let folder = state.open[name.text]?.folder else { return nil }
            state.uses += 1
            state.open[name.text] = (folder, state.uses)
            return folder
        }
    }

    private func keep(_ folder: Folder, as name: ObjectName) {
        state.withLock { state in
            state.uses += 1
            state.open[name.text] = (folder, state.uses)
            guard state.open.count > Self.maximumOpen,
                let oldest = state.open.min(by: { $0.value.usedAt < $1.value.usedAt })
            else { return }
            state.open[oldest.key] = nil
        }
    }
}
