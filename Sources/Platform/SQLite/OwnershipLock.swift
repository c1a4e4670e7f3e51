internal import Glibc

/// The lock file beside a database: while one writer holds it, no second one opens the database; writers that share it
/// keep out one that does not.
///
/// The file stays when the lock is released, because removing it would let two processes lock two different files.
final class OwnershipLock {
    private let descriptor: Int32

    init(databasePath: String, isShared: Bool) throws(SQLiteError) {
        // The system would end the path there, and another file would be made and locked.
        guard !databasePath.utf8.contains(0) else { throw SQLiteError(.cannotOpen, "the path has a zero byte") }
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
        // Closing alone would not do: a process that another thread starts has a copy of the descriptor for a moment.
        _ = flock(descriptor, LOCK_UN)
        close(descriptor)
    }
}
