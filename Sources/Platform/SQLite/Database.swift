internal import CSQLite

/// A connection to an SQLite database.
///
/// Not `Sendable`, so the compiler ensures that only one thread or queue uses it at a time (put it in an actor with its
/// own executor, or in a `Mutex`). Every call may block on disk I/O, so it must not run on the cooperative pool.
package final class Database {
    /// The access mode of a connection.
    package enum Access: Sendable {
        /// The file's only writer. A second writer, in this process or another, fails with
        /// ``SQLiteError/Code/ownedByAnother``. Creates the file if it does not exist.
        case writer
        /// One of several writers that share the file, in this process or others, and wait for each other's
        /// transactions. Fails with ``SQLiteError/Code/ownedByAnother`` while a ``writer`` has the file open. Creates
        /// the file if it does not exist.
        case sharedWriter
        /// Reads committed data. The file must exist and is never changed.
        case reader
    }

    /// The file's path, or `:memory:`.
    package let path: String
    /// The access mode of this connection.
    package let access: Access
    /// The connection; nil after ``close()``.
    private var connection: Connection?
    private var statements: [String: Statement] = [:]

    private static let maximumCachedStatements = 256

    /// Opens a file. A writer uses a write-ahead log with `synchronous=NORMAL`: a crash of the process loses nothing, a
    /// power failure may lose the latest commits, and neither corrupts the file.
    ///
    /// - Parameters:
    ///   - path: the file, in an existing directory.
    ///   - access: the access mode.
    ///   - busyTimeout: the maximum time that a statement waits for a lock before it fails with
    ///     ``SQLiteError/Code/busy``.
    /// - Throws: ``SQLiteError/Code/ownedByAnother``, ``SQLiteError/Code/notADatabase``, or SQLite's own error.
    package convenience init(
        path: String, access: Access = .writer, busyTimeout: Duration = .seconds(5)
    ) throws(SQLiteError) {
        let lock = access == .reader ? nil : try OwnershipLock(databasePath: path, isShared: access == .sharedWriter)
        try self.init(path: path, access: access, lock: lock, busyTimeout: busyTimeout)
        do throws(SQLiteError) {
            if access != .reader {
                try useWriteAheadLog(within: busyTimeout)
                try executeScript("PRAGMA synchronous=NORMAL; PRAGMA foreign_keys=ON;")
                try use(.usual)
            } else {
                try executeScript("PRAGMA query_only=ON;")
            }
            // Reading the header detects a file that is not a database.
            _ = try userVersion()
        } catch {
            close()
            throw error
        }
    }

    /// The memory and disk space that a writer uses to avoid rewriting frequently changed pages.
    package struct WriteBuffers: Sendable {
        /// The size of the page cache in KiB.
        package var cache: Int
        /// The size of the write-ahead log that triggers a checkpoint, in 4 KiB pages.
        package var log: Int

        package init(cache: Int, log: Int) {
            self.cache = cache
            self.log = log
        }

        /// A 4 MiB page cache and a 16 MiB log.
        package static let usual = WriteBuffers(cache: 4_096, log: 4_000)
    }

    /// Changes a writer's buffers and releases unused resources: memory immediately, and an oversized log in the first
    /// transaction after a checkpoint.
    package func use(_ buffers: WriteBuffers) throws(SQLiteError) {
        try executeScript(
            """
            PRAGMA cache_size=-\(buffers.cache); PRAGMA wal_autocheckpoint=\(buffers.log);
            PRAGMA journal_size_limit=\(Int64(buffers.log) * 4_096); PRAGMA shrink_memory;
            """)
    }

    /// Enables the write-ahead log, and retries if SQLite refuses. When two connections do this for a new file at the
    /// same time, SQLite rejects one of them at once: the busy timeout does not apply to a potential deadlock.
    private func useWriteAheadLog(within limit: Duration) throws(SQLiteError) {
        let end = ContinuousClock.now + limit
        while true {
            do throws(SQLiteError) {
                return try executeScript("PRAGMA journal_mode=WAL;")
            } catch {
                guard error.code == .busy, ContinuousClock.now < end else { throw error }
                sqlite3_sleep(5)
            }
        }
    }

    /// Opens an in-memory database for tests.
    package static func inMemory() throws(SQLiteError) -> Database {
        let database = try Database(path: ":memory:", access: .writer, lock: nil, busyTimeout: .zero)
        try database.executeScript("PRAGMA foreign_keys=ON;")
        return database
    }

    private init(path: String, access: Access, lock: OwnershipLock?, busyTimeout: Duration) throws(SQLiteError) {
        self.path = path
        self.access = access
        self.connection = try Connection(path: path, access: access, lock: lock, busyTimeout: busyTimeout)
    }

    /// Closes the connection. Its statements then fail with ``SQLiteError/Code/closed``. Closing the last connection to
    /// a file also checkpoints the write-ahead log.
    package func close() {
        for statement in statements.values { statement.close() }
        statements = [:]
        connection = nil
    }

    // MARK: Statements

    /// Returns the compiled statement for an SQL string from the cache. A caller that runs a statement very often
    /// should keep it.
    ///
    /// If the cached statement is running (its rows are being read), a second one is compiled and returned instead.
    package func statement(_ sql: String) throws(SQLiteError) -> Statement {
        if let statement = statements[sql], !statement.isRunning { return statement }
        guard let connection else { throw SQLiteError(.closed, "the database is closed", sql: sql) }
        let statement = try Statement(connection: connection, sql: sql)
        if statements.count >= Database.maximumCachedStatements { statements = statements.filter(\.value.isRunning) }
        if statements[sql] == nil { statements[sql] = statement }
        return statement
    }

    /// Runs one statement with parameters bound by position.
    package func run(_ sql: String, _ values: [SQLiteValue] = []) throws(SQLiteError) {
        try statement(sql).run(values)
    }

    /// Reads every row of a query.
    package func rows<Element>(
        _ sql: String, _ values: [SQLiteValue] = [], _ read: (Row) throws -> Element
    ) throws -> [Element] {
        try statement(sql).rows(values, read)
    }

    /// Reads at most one row of a query.
    package func firstRow<Element>(
        _ sql: String, _ values: [SQLiteValue] = [], _ read: (Row) throws -> Element
    ) throws -> Element? {
        try statement(sql).firstRow(values, read)
    }

    /// Runs several statements without parameters, separated by semicolons, and ignores their rows.
    package func executeScript(_ sql: String) throws(SQLiteError) {
        guard let connection else { throw SQLiteError(.closed, "the database is closed", sql: sql) }
        let result = sqlite3_exec(connection.handle, sql, nil, nil, nil)
        guard result == SQLITE_OK else { throw SQLiteError(connection: connection.handle, result: result, sql: sql) }
    }

    /// The number of rows that the last insert, update or delete changed.
    package var changes: Int { connection.map { Int(sqlite3_changes64($0.handle)) } ?? 0 }

    /// The row id of the last insert.
    package var lastInsertedRowID: Int64 { connection.map { sqlite3_last_insert_rowid($0.handle) } ?? 0 }

    // MARK: Transactions

    /// Whether a transaction is open.
    package var isInTransaction: Bool { connection.map { sqlite3_get_autocommit($0.handle) == 0 } ?? false }

    /// Runs the body in one read transaction, with a consistent view of the database.
    package func snapshot<Result>(_ body: () throws -> Result) throws -> Result {
        guard !isInTransaction else { throw SQLiteError(.misuse, "a transaction is already open") }
        try run("BEGIN")
        // Nothing was written, so commit and rollback are equivalent.
        defer { try? run("COMMIT") }
        return try body()
    }

    /// Runs the body in one immediate transaction. Commits when the body returns; rolls back if the body or the commit
    /// throws. Nesting fails with ``SQLiteError/Code/misuse``.
    package func transaction<Result>(_ body: () throws -> Result) throws -> Result {
        guard !isInTransaction else { throw SQLiteError(.misuse, "a transaction is already open") }
        try run("BEGIN IMMEDIATE")
        do {
            let result = try body()
            try run("COMMIT")
            return result
        } catch {
            // SQLite has already rolled back after some failures, such as a full disk.
            if isInTransaction { try? run("ROLLBACK") }
            throw error
        }
    }
}
