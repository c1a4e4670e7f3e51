internal import CSQLite

/// A compiled statement of one ``Database``. Kept by the database, or held by a caller that runs it often.
///
/// Not `Sendable`, as its database: it is used where the database is used.
package final class Statement {
    /// The text it was compiled from.
    package let sql: String
    private let parameterCount: Int
    /// Finalized in `deinit`, or when the database closes; `nil` afterwards.
    private var handle: OpaquePointer?
    /// Held until the statement is finalized.
    private var connection: Connection?
    /// Whether a row of it is being read: it must not be run again meanwhile.
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
            throw SQLiteError(.misuse, "not exactly one statement", sql: sql)
        }
        self.sql = sql
        self.handle = handle
        self.connection = connection
        self.parameterCount = Int(sqlite3_bind_parameter_count(handle))
    }

    deinit {
        sqlite3_finalize(handle)
    }

    /// Whether it can still be run.
    var isOpen: Bool { handle != nil }

    /// A statement whose rows are being read stays alive until they are read.
    func close() {
        guard !isRunning else { return }
        sqlite3_finalize(handle)
        handle = nil
        connection = nil
    }

    /// Runs the statement to its end and ignores rows.
    package func run(_ values: [SQLiteValue] = []) throws(SQLiteError) {
        let handle = try begin(values)
        defer { end(handle) }
        while try step(handle) {}
    }

    /// Runs the statement and reads every row.
    ///
    /// - Returns: what `read` made of the rows, in order.
    package func rows<Element>(
        _ values: [SQLiteValue] = [], _ read: (Row) throws -> Element
    ) throws -> [Element] {
        let handle = try begin(values)
        defer { end(handle) }
        var elements: [Element] = []
        while try step(handle) { elements.append(try read(Row(statement: handle, owner: self))) }
        return elements
    }

    /// Runs the statement and reads at most one row.
    package func firstRow<Element>(
        _ values: [SQLiteValue] = [], _ read: (Row) throws -> Element
    ) throws -> Element? {
        let handle = try begin(values)
        defer { end(handle) }
        return try step(handle) ? try read(Row(statement: handle, owner: self)) : nil
    }

    /// Whether there is another row.
    private func step(_ handle: OpaquePointer) throws(SQLiteError) -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let result: throw error(handle, result)
        }
    }

    private func begin(_ values: [SQLiteValue]) throws(SQLiteError) -> OpaquePointer {
        guard let handle else { throw SQLiteError(.closed, "the database is closed", sql: sql) }
        guard !isRunning else { throw SQLiteError(.misuse, "the statement is already running", sql: sql) }
        guard values.count == parameterCount else {
            let message = "\(values.count) values for \(parameterCount) parameters"
            throw SQLiteError(.wrongParameterCount, message, sql: sql)
        }
        var position: Int32 = 0
        for value in values {
            position += 1
            let result = Statement.bind(handle, position, value)
            guard result == SQLITE_OK else { throw error(handle, result) }
        }
        isRunning = true
        return handle
    }

    private func end(_ handle: OpaquePointer) {
        // The result repeats that of the last step, which was already reported.
        sqlite3_reset(handle)
        isRunning = false
    }

    private static func bind(_ handle: OpaquePointer, _ position: Int32, _ value: SQLiteValue) -> Int32 {
        switch value {
        case .null: sqlite3_bind_null(handle, position)
        case .integer(let integer): sqlite3_bind_int64(handle, position, integer)
        case .real(let real): sqlite3_bind_double(handle, position, real)
        case .text(var text):
            text.withUTF8 { bytes in
                bytes.withMemoryRebound(to: CChar.self) { characters in
                    // Without an address SQLite would bind null instead of an empty text.
                    characters.baseAddress.map { sluice_bind_text(handle, position, $0, UInt64(bytes.count)) }
                        ?? sluice_bind_text(handle, position, "", 0)
                }
            }
        case .blob(let bytes):
            bytes.isEmpty
                ? sqlite3_bind_zeroblob(handle, position, 0)
                : bytes.withUnsafeBytes { sluice_bind_blob(handle, position, $0.baseAddress, UInt64($0.count)) }
        }
    }

    private func error(_ handle: OpaquePointer, _ result: Int32) -> SQLiteError {
        SQLiteError(connection: sqlite3_db_handle(handle), result: result, sql: sql)
    }

    /// Whether anything but white space and semicolons follows the first statement.
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
    /// The text as C characters with their count; SQLite reads no further than the count.
    func withUTF8Prefix<Result>(_ body: (UnsafePointer<CChar>, Int32) -> Result) -> Result {
        withCString { body($0, Int32(clamping: utf8.count)) }
    }
}
