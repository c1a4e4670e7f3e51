internal import Glibc

/// Files that hold keys or pseudonyms: only their owner reads them. SQLite gives its write-ahead log the same mode.
enum OwnersFile {
    /// Makes the file of a database, empty, where there is none, and takes the rights of others from one that is there.
    /// Rights that the owner gave a group stay.
    ///
    /// - Throws: ``ArchiveKeyError`` with code `unavailable` when it cannot be made.
    static func prepare(_ path: String) throws(ArchiveKeyError) {
        guard !path.utf8.contains(0) else {
            throw ArchiveKeyError(.unavailable, "the path of a key store has a zero byte")
        }
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            // A file that may only be read is SQLite's to refuse, or to read.
            guard errno != EACCES, errno != EROFS else { return }
            throw ArchiveKeyError(.unavailable, "\(path): \(String(cString: strerror(errno)))")
        }
        close(descriptor)
        for file in [path, "\(path)-wal", "\(path)-shm"] {
            var status = stat()
            guard stat(file, &status) == 0, status.st_mode & 0o007 != 0 else { continue }
            // Fails where another user owns it, whose decision it is.
            chmod(file, status.st_mode & 0o7770)
        }
    }

    /// Makes an empty file that only its owner reads.
    ///
    /// - Throws: ``ArchiveKeyError`` with code `unavailable` where there is one, or none can be made.
    static func make(_ path: String) throws(ArchiveKeyError) {
        guard !path.utf8.contains(0) else { throw ArchiveKeyError(.unavailable, "the path has a zero byte") }
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw ArchiveKeyError(.unavailable, "\(path): \(String(cString: strerror(errno))); name another file")
        }
        close(descriptor)
    }

    /// Returns when the file and its name outlive a power loss.
    ///
    /// - Throws: ``ArchiveKeyError`` with code `unavailable`.
    static func synchronize(_ path: String) throws(ArchiveKeyError) {
        let folder = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        for name in [path, folder] {
            let descriptor = open(name, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else {
                throw ArchiveKeyError(.unavailable, "\(name): \(String(cString: strerror(errno)))")
            }
            defer { close(descriptor) }
            guard fsync(descriptor) == 0 else {
                throw ArchiveKeyError(.unavailable, "\(name): \(String(cString: strerror(errno)))")
            }
        }
    }
}
