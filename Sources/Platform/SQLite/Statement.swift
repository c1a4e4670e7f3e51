internal import CSQLite

/// A compiled statement for one ``Database``. It is cached by the database, or kept by a caller that runs it often.
///
/// Not `Sendable`, like its database: only the thread or queue that uses the database may use it.
package final class Statement {
    /// The statement's SQL text.
    package let sql: String
    private let parameterCount: Int
    /// The compiled statement; nil after it was finalized because the database was closed.
    private var handle: OpaquePointer?
    /// Retained until the statement has been finalized.
    private var connection: Connection?
    /// Whether the statement's rows are being read. Until they have been read, the statement must not be run again.
    private(set) var isRunning = false

    init(connection: Connection, sql: String) throws(SQLiteError) {
        var handle: OpaquePointer?
        let (result, hasMore) = sql.withUTF8Prefix { text, count -> (Int32, Bool) in
            var tail: UnsafePointer<CChar>?
            let result = sqlite3_prepare_v3(
                connection.handle, text, count, UInt32(SQLITE_PREPARE_PERSISTENT), &handle, &tail)
            return (result, Statement.hasStatement(tail, end: text + Int(count)))
        }
        guard result == SQLITE_OK else { throw SQLiteError(connection: connection.handle, result: result, sql: sql) }
        guard let handle, !hasMore else {
            sqlite3_finalize(handle)
            throw SQLiteError(.misuse, "expected exactly one SQL statement", sql: sql)
        }
        self.sql = sql
        self.handle = handle
        self.connection = connection
        self.parameterCount = Int(sqlite3_bind_parameter_count(handle))
    }

    deinit {
        sqlite3_finalize(handle)
    }

    /// Whether the statement can still be run.
    var isOpen: Bool { handle != nil }

    /// Finalizes the statement, unless its rows are being read.
    func close() {
        guard !isRunning else { return }
        sqlite3_finalize(handle)
        handle = nil
        connection = nil
    }

    /// Runs the statement to completion and ignores its rows.
    package func run(_ values: [SQLiteValue] = []) throws(SQLiteError) {
        var failure: SQLiteError?
        try run(values) { handle in
            do throws(SQLiteError) { while try step(handle) {} } catch { failure = error }
        }
        if let failure { throw failure }
    }

    /// Runs the statement to completion and ignores its rows.
    ///
    /// - Parameter values: values to bind without copying. Their bytes must remain valid during the call.
    package func run(borrowing values: [BorrowedValue]) throws(SQLiteError) {
        let handle = try handle(for: values.count)
        defer {
            sqlite3_reset(handle)
            // The bound memory is about to become invalid.
            sqlite3_clear_bindings(handle)
        }
        for index in values.indices {
            let result = values[index].bind(to: handle, at: Int32(truncatingIfNeeded: index + 1))
            guard result == SQLITE_OK else { throw error(handle, result) }
        }
        while try step(handle) {}
    }

    /// Runs the statement and reads every row.
    ///
    /// - Returns: the results of `read`, in order.
    package func rows<Element>(
        _ values: [SQLiteValue] = [], _ read: (Row) throws -> Element
    ) throws -> [Element] {
        var outcome = Result<[Element], any Error>.success([])
        try run(values) { handle in
            outcome = Result {
                var elements: [Element] = []
                while try step(handle) { elements.append(try read(Row(statement: handle, owner: self))) }
                return elements
            }
        }
        return try outcome.get()
    }

    /// Runs the statement and reads at most one row.
    package func firstRow<Element>(
        _ values: [SQLiteValue] = [], _ read: (Row) throws -> Element
    ) throws -> Element? {
        var outcome = Result<Element?, any Error>.success(nil)
        try run(values) { handle in
            outcome = Result { try step(handle) ? try read(Row(statement: handle, owner: self)) : nil }
        }
        return try outcome.get()
    }

    /// Advances to the next row. Returns false if there is none.
    private func step(_ handle: OpaquePointer) throws(SQLiteError) -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let result: throw error(handle, result)
        }
    }

    /// Returns the handle. Throws if the statement cannot run now or takes a different number of values.
    private func handle(for count: Int) throws(SQLiteError) -> OpaquePointer {
        guard let handle else { throw SQLiteError(.closed, "the database is closed", sql: sql) }
        guard !isRunning else { throw SQLiteError(.misuse, "the statement is already running", sql: sql) }
        guard count == parameterCount else {
            let message = "\(count) values given for \(parameterCount) parameters"
            throw SQLiteError(.wrongParameterCount, message, sql: sql)
        }
        return handle
    }

    /// Calls `body` while the values are bound. SQLite does not copy text or blobs.
    private func run(_ values: [SQLiteValue], _ body: (OpaquePointer) -> Void) throws(SQLiteError) {
        let handle = try handle(for: values.count)
        let result = Statement.bind(handle, values, from: 0) {
            isRunning = true
            body(handle)
            // Ignore the result: it repeats the last step's result, which has already been reported.
            sqlite3_reset(handle)
            isRunning = false
        }
        // The bound memory is about to become invalid.
        sqlite3_clear_bindings(handle)
        guard result == SQLITE_OK else { throw error(handle, result) }
    }

    /// Binds the values to parameters, starting at index `first`, and calls `body` when all are bound.
    ///
    /// - Returns: `SQLITE_OK`, or SQLite's result code for the first value that cannot be bound; in that case, `body`
    ///   is not called.
    private static func bind(
        _ handle: OpaquePointer, _ values: [SQLiteValue], from first: Int, _ body: () -> Void
    ) -> Int32 {
        for index in first..<values.count {
            let position = Int32(truncatingIfNeeded: index + 1)
            func next(after result: Int32) -> Int32 {
                result == SQLITE_OK ? bind(handle, values, from: index + 1, body) : result
            }
            let result: Int32
            switch values[index] {
            case .null: result = sqlite3_bind_null(handle, position)
            case .integer(let integer): result = sqlite3_bind_int64(handle, position, integer)
            case .real(let real): result = sqlite3_bind_double(handle, position, real)
            case .text(var text):
                return text.withUTF8 { bytes in
                    // For a null pointer, SQLite would bind NULL instead of an empty string.
                    withUnsafePointer(to: CChar(0)) { empty in
                        bytes.withMemoryRebound(to: CChar.self) { characters in
                            next(
                                after: sqlite3_bind_text64(
                                    handle, position, characters.baseAddress ?? empty, UInt64(bytes.count), nil,
                                    UInt8(SQLITE_UTF8)))
                        }
                    }
                }
            case .blob(let bytes) where bytes.isEmpty: result = sqlite3_bind_zeroblob(handle, position, 0)
            case .blob(let bytes):
                return bytes.withUnsafeBytes {
                    next(after: sqlite3_bind_blob64(handle, position, $0.baseAddress, UInt64($0.count), nil))
                }
            }
            guard result == SQLITE_OK else { return result }
        }
        body()
        return SQLITE_OK
    }

    private func error(_ handle: OpaquePointer, _ result: Int32) -> SQLiteError {
        SQLiteError(connection: sqlite3_db_handle(handle), result: result, sql: sql)
    }

    /// Whether anything except whitespace and semicolons follows the first statement.
    private static func hasStatement(_ tail: UnsafePointer<CChar>?, end: UnsafePointer<CChar>) -> Bool {
        guard var position = tail else { return false }
        while position < end {
            let character = UInt8(bitPattern: position.pointee)
            if character > 0x20, character != UInt8(ascii: ";") { return true }
            position += 1
        }
        return false
    }
}

extension String {
    /// Calls `body` with the text as C characters and the number of characters that SQLite may read.
    func withUTF8Prefix<Result>(_ body: (UnsafePointer<CChar>, Int32) -> Result) -> Result {
        withCString { body($0, Int32(clamping: utf8.count)) }
    }
}
