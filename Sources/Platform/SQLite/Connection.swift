internal import CSQLite

/// An open connection and its lock. The database and all its statements retain this object. The last release closes the
/// connection and then releases the lock.
final class Connection {
    let handle: OpaquePointer
    private let lock: OwnershipLock?

    /// Reserves memory for pages once, before the first connection.
    private static let pageMemory: Void = sluice_page_memory(512)

    init(path: String, access: Database.Access, lock: OwnershipLock?, busyTimeout: Duration) throws(SQLiteError) {
        guard !path.utf8.contains(0) else { throw SQLiteError(.cannotOpen, "the path contains a NUL byte") }
        let mode = access == .reader ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        _ = Self.pageMemory
        // SQLite's own mutex is disabled, because `Database` guarantees that only one thread uses the connection.
        var handle: OpaquePointer?
        let result = sqlite3_open_v2(path, &handle, mode | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
        guard result == SQLITE_OK, let handle else {
            let error = SQLiteError(connection: handle, result: result)
            sqlite3_close_v2(handle)
            throw error
        }
        let (seconds, attoseconds) = busyTimeout.components
        let milliseconds = min(max(seconds, 0), 86_400) * 1_000 + attoseconds / 1_000_000_000_000_000
        sqlite3_busy_timeout(handle, Int32(clamping: milliseconds))
        self.handle = handle
        self.lock = lock
    }

    deinit {
        // All statements have been finalized, because each one retains this object until then.
        sqlite3_close_v2(handle)
    }
}
