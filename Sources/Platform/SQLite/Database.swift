internal import CSQLite

/// A connection to an SQLite database.
///
/// Not `Sendable`: one thread or queue at a time uses it, and the compiler sees to that (put it in an actor with an
/// executor of its own, or in a `Mutex`). Every call may block on the disk, so it never runs on the cooperative pool.
package final class Database {
    /// What a connection may do.
    package enum Access: Sendable {
        /// The only writer of the file: a second one, in this process or another, fails with
        /// ``SQLiteError/Code/ownedByAnother``. Makes the file when there is none.
        case writer
        /// One of several writers of the file, in this process or others, that wait for each other's transactions. Fails
        /// with ``SQLiteError/Code/ownedByAnother`` while a ``writer`` has the file. Makes the file when there is none.
        case sharedWriter
        /// Reads what the writer has committed. The file must exist; reading never changes it.
        case reader
    }

    /// The file, or `:memory:`.
    package let path: String
    /// What this connection may do.
    package let access: Access
    /// `nil` after ``close()``.
    private var connection: Connection?
    private var statements: [String: Statement] = [:]

    private static let maximumCachedStatements = 256

    /// Opens a file. A writer uses a write-ahead log with `synchronous=NORMAL`: a crash of the process loses nothing, a
    /// power loss may lose the last commits, and neither damages the file.
    ///
    /// - Parameters:
    ///   - path: the file; its directory must exist.
    ///   - access: writer or reader.
    ///   - busyTimeout: how long a statement waits for a lock before it fails with ``SQLiteError/Code/busy``.
    /// - Throws: ``SQLiteError/Code/ownedByAnother``, ``SQLiteError/Code/notADatabase``, or what SQLite says.
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
            // The first read of the header: says at once whether this is a database.
            _ = try userVersion()
        } catch {
            close()
            throw error
        }
    }

    /// How much memory and disk a writer takes to write pages that many transactions change less often.
    package struct WriteBuffers: Sendable {
        /// Pages in memory, in KiB.
        package var cache: Int
        /// Pages of 4 KiB in the log before they are written back.
        package var log: Int

        package init(cache: Int, log: Int) {
            self.cache = cache
            self.log = log
        }

        /// 4 MiB of pages, and a log of 16 MiB.
        package static let usual = WriteBuffers(cache: 4_096, log: 4_000)
    }

    /// Changes the buffers of a writer, and gives back what is no longer used: memory at once, a log that is longer than
    /// it may be with the first transaction after it was written back.
    package func use(_ buffers: WriteBuffers) throws(SQLiteError) {
        try executeScript(
            """
            PRAGMA cache_size=-\(buffers.cache); PRAGMA wal_autocheckpoint=\(buffers.log);
            PRAGMA journal_size_limit=\(Int64(buffers.log) * 4_096); PRAGMA shrink_memory;
            """)
    }

    /// SQLite refuses one of two connections that give a new file a write-ahead log at the same moment: the busy timeout
    /// does not count where both would wait for each other.
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

    /// A database in memory, for tests.
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

    /// Ends the connection; its statements fail afterwards with ``SQLiteError/Code/closed``. The last connection to a
    /// file writes the write-ahead log back into it.
    package func close() {
        for statement in statements.values { statement.close() }
        statements = [:]
        connection = nil
    }

    // MARK: Statements

    /// The compiled statement of a text, from the cache. Hold it where it is run very often.
    ///
    /// A statement that is running (its rows are being read) is not handed out again: a second one is compiled.
    package func statement(_ sql: String) throws(SQLiteError) -> Statement {
        if let statement = statements[sql], !statement.isRunning { return statement }
        guard let connection else { throw SQLiteError(.closed, "the database is closed", sql: sql) }
        let statement = try Statement(connection: connection, sql: sql)
        if statements.count >= Database.maximumCachedStatements { statements = statements.filter(\.value.isRunning) }
        if statements[sql] == nil { statements[sql] = statement }
        return statement
    }

    /// Runs one statement; parameters are bound by position.
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

    /// How many rows the last insert, update or delete changed.
    package var changes: Int { connection.map { Int(sqlite3_changes64($0.handle)) } ?? 0 }

    /// The row id of the last insert.
    package var lastInsertedRowID: Int64 { connection.map { sqlite3_last_insert_rowid($0.handle) } ?? 0 }

    // MARK: Transactions

    /// Whether a transaction is open.
    package var isInTransaction: Bool { connection.map { sqlite3_get_autocommit($0.handle) == 0 } ?? false }

    /// Runs the body in one transaction that reads: all of it sees the same state of the database.
    package func snapshot<Result>(_ body: () throws -> Result) throws -> Result {
        guard !isInTransaction else { throw SQLiteError(.misuse, "a transaction is already open") }
        try run("BEGIN")
        // Nothing was written: both ways of ending it are the same.
        defer { try? run("COMMIT") }
        return try body()
    }

    /// Runs the body in one immediate transaction: committed when it returns, rolled back when it or the commit throws.
    /// Inside another transaction it fails with ``SQLiteError/Code/misuse``.
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
