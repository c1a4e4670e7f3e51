internal import Glibc

extension Database {
    /// Makes a writer change the file directly, without a write-ahead log and without waiting for the disk. This speeds
    /// up writing a large new database. Transactions that fail are still rolled back. If the process or the system ends
    /// before ``endDirectWrites()`` returns, the file may be damaged and must be removed (``remove(path:)``).
    ///
    /// - Throws: ``SQLiteError/Code/busy`` if another connection has the file open.
    package func beginDirectWrites() throws {
        try useJournal("memory")
        try executeScript("PRAGMA synchronous=OFF;")
    }

    /// Waits until all changes are on disk, and uses a write-ahead log again.
    ///
    /// - Throws: ``SQLiteError/Code/busy`` if another connection reads for longer than the busy timeout.
    package func endDirectWrites() throws {
        // Switching to the log commits a change to the file's header. With this setting, the commit waits until the
        // whole file is on disk.
        try executeScript("PRAGMA synchronous=FULL;")
        try useJournal("wal")
        try executeScript("PRAGMA synchronous=NORMAL;")
    }

    private func useJournal(_ journal: String) throws {
        let mode = try firstRow("PRAGMA journal_mode=\(journal)") { try $0.text(0) }
        guard mode == journal else {
            throw SQLiteError(.busy, "the journal mode of \(path) is still \(mode ?? "unknown")")
        }
    }

    /// Removes a database and its logs.
    ///
    /// - Throws: ``SQLiteError/Code/ownedByAnother`` if a writer has the file open, or ``SQLiteError/Code/cannotOpen``.
    package static func remove(path: String) throws(SQLiteError) {
        let lock = try OwnershipLock(databasePath: path, isShared: false)
        defer { withExtendedLifetime(lock) {} }
        for suffix in ["-wal", "-shm", "-journal", ""] where unlink(path + suffix) != 0 && errno != ENOENT {
            throw SQLiteError(.cannotOpen, "cannot remove \(path + suffix): \(String(cString: strerror(errno)))")
        }
    }
}
