internal import ArchiveLog
internal import Glibc

/// Creates files that only their owner can read, for keys or pseudonyms. SQLite gives its write-ahead log the same
/// mode.
enum OwnersFile {
    /// Creates an empty database file if it is missing; otherwise removes all permissions for others from the file.
    /// Group permissions are kept.
    ///
    /// - Throws: ``ArchiveError`` with code `keyStoreUnavailable` if the file cannot be created.
    static func prepare(_ path: String) throws(ArchiveError) {
        guard !path.utf8.contains(0) else {
            throw ArchiveError(.keyStoreUnavailable, "the key store path contains a NUL byte")
        }
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            // If the file is not writable, let SQLite decide whether to open it.
            guard errno != EACCES, errno != EROFS else { return }
            throw ArchiveError(.keyStoreUnavailable, "\(path): \(String(cString: strerror(errno)))")
        }
        close(descriptor)
        for file in [path, "\(path)-wal", "\(path)-shm"] {
            var status = stat()
            guard stat(file, &status) == 0, status.st_mode & 0o007 != 0 else { continue }
            // Ignore failures: if another user owns the file, its permissions are that user's responsibility.
            chmod(file, status.st_mode & 0o7770)
        }
    }

    /// Creates an empty file that only its owner can read.
    ///
    /// - Throws: ``ArchiveError`` with code `keyStoreUnavailable` if the file exists or cannot be created.
    static func make(_ path: String) throws(ArchiveError) {
        guard !path.utf8.contains(0) else { throw ArchiveError(.keyStoreUnavailable, "the path contains a NUL byte") }
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw ArchiveError(
                .keyStoreUnavailable, "\(path): \(String(cString: strerror(errno))); specify a different file")
        }
        close(descriptor)
    }

    /// Synchronizes the file and its directory, so that both survive a power loss.
    ///
    /// - Throws: ``ArchiveError`` with code `keyStoreUnavailable`.
    static func synchronize(_ path: String) throws(ArchiveError) {
        let folder = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        for name in [path, folder] {
            let descriptor = open(name, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else {
                throw ArchiveError(.keyStoreUnavailable, "\(name): \(String(cString: strerror(errno)))")
            }
            defer { close(descriptor) }
            guard fsync(descriptor) == 0 else {
                throw ArchiveError(.keyStoreUnavailable, "\(name): \(String(cString: strerror(errno)))")
            }
        }
    }
}
