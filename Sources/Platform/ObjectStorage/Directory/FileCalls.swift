/// The system calls that a ``DirectoryStore`` makes. Tests replace them, to let the Nth one fail or to simulate a power
/// loss.
///
/// Names are single components, relative to the descriptor of a folder; links are never followed. Each call is made again
/// when a signal interrupts it.
package protocol FileCalls: Sendable {
    /// A folder by its path, for use with the calls below. Links on the way are followed: an operator's own.
    func openFolder(path: String) throws(SystemFailure) -> Int32
    func makeFolder(path: String) throws(SystemFailure)

    func open(_ name: String, in folder: Int32, _ opening: FileOpening) throws(SystemFailure) -> Int32
    func close(_ file: Int32)
    func status(_ file: Int32) throws(SystemFailure) -> FileStatus
    func status(_ name: String, in folder: Int32) throws(SystemFailure) -> FileStatus
    /// Reads at an offset; 0 is the end of the file.
    func read(_ file: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(SystemFailure) -> Int
    /// Writes some of the bytes at the end of the file, at least one.
    func write(_ file: Int32, _ bytes: UnsafeRawBufferPointer) throws(SystemFailure) -> Int
    /// `fsync(2)`: of a file its bytes, of a folder its entries.
    func synchronize(_ file: Int32) throws(SystemFailure)
    /// An exclusive `flock(2)` until ``unlock(_:)`` or the descriptor is closed. Without waiting: `EWOULDBLOCK`.
    func lock(_ file: Int32, waiting: Bool) throws(SystemFailure)
    func unlock(_ file: Int32)

    func makeFolder(_ name: String, in folder: Int32) throws(SystemFailure)
    func rename(_ name: String, to newName: String, in folder: Int32) throws(SystemFailure)
    func remove(_ name: String, in folder: Int32) throws(SystemFailure)
    /// Only an empty one: `ENOTEMPTY`.
    func removeFolder(_ name: String, in folder: Int32) throws(SystemFailure)
    /// Everything in a folder but `.` and `..`, in any order.
    func entries(of folder: Int32) throws(SystemFailure) -> [FolderEntry]
}

/// How a file is opened.
package enum FileOpening: Sendable {
    /// An existing file, for reading.
    case reading
    /// A new file, for writing: `EEXIST` when there is anything of the name.
    case creating
    /// A file that is there for its lock alone; made when it is missing.
    case locking
    /// An existing folder.
    case folder
}

/// A call of the system that failed.
package struct SystemFailure: Error, Equatable, Sendable {
    /// As `errno` has it.
    package let number: Int32

    package init(number: Int32) { self.number = number }
}

package struct FileStatus: Sendable, Equatable {
    package enum Kind: Sendable, Equatable {
        case file, folder
        /// A link, a pipe, a device.
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
