internal import Glibc

/// A store that keeps objects as files in a directory. The object `a/b` is the file `b` in the folder `a`.
///
/// Creating an object takes four system calls and does not wait for the disk: the file is written at its final path and
/// remains open until ``synchronize()`` makes it and its folder durable. Symbolic links below the directory are never
/// followed. Files with names that begin with `.` belong to the store: locks, and new content that has not yet replaced
/// the old.
package final class DirectoryStore: ObjectStore {
    /// The maximum number of open files that await ``synchronize()``. The next creation first synchronizes all of them.
    package static let maximumUnsynchronized = 256
    /// The maximum size, in bytes, of an object that can be read.
    package static let maximumObjectBytes = 1 << 30

    /// The directory's absolute path.
    package let path: String
    package var hasLocks: Bool { true }
    let calls: any FileCalls
    let tree: FolderTree
    let unsynchronized: Unsynchronized
    private let threads: BlockingThreads
    /// A single thread, so that synchronizations run one after another, and a call also waits for files that an earlier
    /// call is still synchronizing.
    private let synchronizer: BlockingThreads

    /// Opens the directory. Blocks on the disk.
    ///
    /// - Parameters:
    ///   - path: an absolute path.
    ///   - creating: whether to create the directory if it is missing. Its parent must exist, because a missing parent
    ///     usually means that a file system is not mounted.
    /// - Throws: ``ObjectStoreError``: `noStore`, `denied`, `full`, `unsafePath` if the path is not a folder, `failed`.
    package init(
        path: String, creating: Bool, calls: any FileCalls = SystemFileCalls()
    ) throws(ObjectStoreError) {
        let root = try Self.openRoot(path, creating: creating, calls)
        self.path = path
        self.calls = calls
        unsynchronized = Unsynchronized()
        tree = FolderTree(path: path, root: root, calls, unsynchronized)
        threads = try BlockingThreads(name: "objects", count: 4)
        synchronizer = try BlockingThreads(name: "objects-sync", count: 1)
    }

    package func read(_ name: ObjectName) async throws(ObjectStoreError) -> StoredObject? {
        try await threads.perform { [self] () throws(ObjectStoreError) in try readNow(name) }
    }

    package func read(_ name: ObjectName, range: Range<Int>) async throws(ObjectStoreError) -> [UInt8]? {
        try await threads.perform { [self] () throws(ObjectStoreError) in try readNow(name, range) }
    }

    package func create(_ name: ObjectName, _ bytes: [UInt8]) async throws(ObjectStoreError) {
        if unsynchronized.fileCount >= Self.maximumUnsynchronized { try await synchronize() }
        try await threads.perform { [self] () throws(ObjectStoreError) in try createNow(name, bytes) }
    }

    package func replace(
        _ name: ObjectName, _ bytes: [UInt8], expected: ObjectVersion?
    ) async throws(ObjectStoreError) -> ObjectVersion {
        try await threads.perform { [self] () throws(ObjectStoreError) in
            try replaceNow(name, bytes, expected: expected)
        }
    }

    package func delete(_ name: ObjectName) async throws(ObjectStoreError) {
        try await threads.perform { [self] () throws(ObjectStoreError) in try deleteNow(name) }
    }

    package func list(
        _ prefix: ObjectName?, after: ObjectName?, limit: Int
    ) async throws(ObjectStoreError) -> [ListedObject] {
        try await threads.perform { [self] () throws(ObjectStoreError) in
            try listNow(prefix, after: after, limit: limit)
        }
    }

    package func folders(in prefix: ObjectName?) async throws(ObjectStoreError) -> [ObjectName] {
        try await threads.perform { [self] () throws(ObjectStoreError) in try foldersNow(in: prefix) }
    }

    package func synchronize() async throws(ObjectStoreError) {
        try await synchronizer.perform { [self] () throws(ObjectStoreError) in try synchronizeNow() }
    }

    package func lock(_ prefix: ObjectName) async throws(ObjectStoreError) -> any ObjectStoreLock {
        try await threads.perform { [self] () throws(ObjectStoreError) in try lockNow(prefix) }
    }

    private static func openRoot(
        _ path: String, creating: Bool, _ calls: any FileCalls
    ) throws(ObjectStoreError) -> OpenFile {
        guard path.hasPrefix("/"), !path.utf8.contains(0) else {
            throw ObjectStoreError(.invalidURL, "the path of an object directory must begin with '/'")
        }
        do throws(SystemError) {
            let root = OpenFile(try calls.openFolder(path: path), calls)
            // An earlier process may have created the directory and ended before its entry was durable.
            if creating { try synchronizeParent(of: path, calls) }
            return root
        } catch {
            guard error.number == ENOENT else { throw DirectoryProblem.error(error, "open the directory \(path)") }
            guard creating else {
                throw ObjectStoreError(
                    .noStore, "the directory \(path) does not exist: check the path and the mounted volumes")
            }
        }
        do throws(SystemError) {
            try calls.makeFolder(path: path)
            let root = OpenFile(try calls.openFolder(path: path), calls)
            try synchronizeParent(of: path, calls)
            return root
        } catch {
            guard error.number == ENOENT else { throw DirectoryProblem.error(error, "create the directory \(path)") }
            throw ObjectStoreError(
                .noStore,
                "cannot create \(path): there is no parent directory; mount the volume or create that directory")
        }
    }

    /// Synchronizes the parent's entries. Does nothing if this process cannot read the parent; such a process cannot
    /// have created anything there.
    private static func synchronizeParent(of path: String, _ calls: any FileCalls) throws(SystemError) {
        let parent: OpenFile
        do throws(SystemError) {
            parent = OpenFile(try calls.openFolder(path: parentPath(path)), calls)
        } catch {
            guard error.number == EACCES else { throw error }
            return
        }
        try calls.synchronize(parent.descriptor)
    }

    private static func parentPath(_ path: String) -> String {
        let end = path.lastIndex(of: "/") ?? path.startIndex
        return end == path.startIndex ? "/" : String(path[..<end])
    }
}
