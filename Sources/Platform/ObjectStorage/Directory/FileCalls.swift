/// The system calls that a ``DirectoryStore`` makes. Tests replace them to make the Nth call fail or to simulate a
/// power loss.
///
/// Names are single components, relative to a folder's descriptor. Symbolic links are never followed. A call is retried
/// if a signal interrupts it.
package protocol FileCalls: Sendable {
    /// Opens a folder by path, for the calls below. Symbolic links in this path are followed, because the operator
    /// chose the path.
    func openFolder(path: String) throws(SystemError) -> Int32
    func makeFolder(path: String) throws(SystemError)

    func open(_ name: String, in folder: Int32, _ opening: FileOpening) throws(SystemError) -> Int32
    func close(_ file: Int32)
    func status(_ file: Int32) throws(SystemError) -> FileStatus
    func status(_ name: String, in folder: Int32) throws(SystemError) -> FileStatus
    /// Reads at an offset. Returns 0 at the end of the file.
    func read(_ file: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(SystemError) -> Int
    /// Appends at least one of the bytes to the file and returns the number of bytes appended.
    func write(_ file: Int32, _ bytes: UnsafeRawBufferPointer) throws(SystemError) -> Int
    /// Calls `fsync(2)` for the bytes of a file or the entries of a folder.
    func synchronize(_ file: Int32) throws(SystemError)
    /// Acquires an exclusive `flock(2)`, which is held until ``unlock(_:)`` is called or the descriptor is closed.
    /// Fails with `EWOULDBLOCK` if `waiting` is false and the lock is not available.
    func lock(_ file: Int32, waiting: Bool) throws(SystemError)
    func unlock(_ file: Int32)

    func makeFolder(_ name: String, in folder: Int32) throws(SystemError)
    func rename(_ name: String, to newName: String, in folder: Int32) throws(SystemError)
    func remove(_ name: String, in folder: Int32) throws(SystemError)
    /// Removes an empty folder. Fails with `ENOTEMPTY` if the folder is not empty.
    func removeFolder(_ name: String, in folder: Int32) throws(SystemError)
    /// Returns all entries of a folder except `.` and `..`, in any order.
    func entries(of folder: Int32) throws(SystemError) -> [FolderEntry]
}

/// How to open a file.
package enum FileOpening: Sendable {
    /// An existing file, for reading.
    case reading
    /// A new file, for writing. Fails with `EEXIST` if the name exists.
    case creating
    /// A file used only as a lock, created if missing.
    case locking
    /// An existing folder.
    case folder
}

/// A failed system call.
package struct SystemError: Error, Equatable, Sendable {
    /// The value of `errno`.
    package let number: Int32

    package init(number: Int32) { self.number = number }
}

package struct FileStatus: Sendable, Equatable {
    package enum Kind: Sendable, Equatable {
        case file, folder
        /// A symbolic link, a pipe or a device.
        case other
    }

    package let kind: Kind
    package let byteCount: Int

    package init(kind: Kind, byteCount: Int) {
        self.kind = kind
        self.byteCount = byteCount
    }
}

package struct FolderEntry: Sendable, Equatable {
    package let name: String
    package let kind: FileStatus.Kind

    package init(name: String, kind: FileStatus.Kind) {
        self.name = name
        self.kind = kind
    }
}
