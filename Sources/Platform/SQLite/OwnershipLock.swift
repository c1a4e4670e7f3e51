internal import Glibc

/// The lock file next to a database. A single writer locks it exclusively; shared writers share the lock.
///
/// The file remains after the lock is released. If it were removed, two processes could lock two different files.
final class OwnershipLock {
    private let descriptor: Int32

    init(databasePath: String, isShared: Bool) throws(SQLiteError) {
        // The system would otherwise truncate the path at a zero byte, and create and lock a different file.
        guard !databasePath.utf8.contains(0) else { throw SQLiteError(.cannotOpen, "the path contains a NUL byte") }
        let path = databasePath + ".lock"
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw SQLiteError(.cannotOpen, "cannot open \(path): \(String(cString: strerror(errno)))")
        }
        guard flock(descriptor, (isShared ? LOCK_SH : LOCK_EX) | LOCK_NB) == 0 else {
            let isTaken = errno == EWOULDBLOCK
            let reason = String(cString: strerror(errno))
            close(descriptor)
            throw isTaken
                ? SQLiteError(.ownedByAnother, "\(databasePath) is in use by another process")
                : SQLiteError(.cannotOpen, "cannot lock \(path): \(reason)")
        }
        self.descriptor = descriptor
    }

    deinit {
        // Closing is not enough, because a child process started by another thread may briefly have a copy of the
        // descriptor.
        _ = flock(descriptor, LOCK_UN)
        close(descriptor)
    }
}
