internal import CSQLite

/// The current row of a query, valid only in the closure that reads it. Reading a column afterwards is an error.
///
/// Columns are numbered from 0. Values are not converted; reading a column as a different type is an error.
package struct Row {
    private let statement: OpaquePointer
    /// Keeps `statement` alive.
    private let owner: Statement

    init(statement: OpaquePointer, owner: Statement) {
        self.statement = statement
        self.owner = owner
    }

    private var sql: String { owner.sql }

    /// The number of columns; 0 after the row has been read.
    package var columnCount: Int { owner.isOpen ? Int(sqlite3_data_count(statement)) : 0 }

    /// Whether the column is null.
    package func isNull(_ column: Int) throws(SQLiteError) -> Bool { try type(column) == SQLITE_NULL }

    /// Returns the value of an integer column.
    package func integer(_ column: Int) throws(SQLiteError) -> Int64 {
        try check(column, SQLITE_INTEGER, "an integer")
        return sqlite3_column_int64(statement, Int32(column))
    }

    /// Returns the value of a floating-point column. Integers are also accepted.
    package func real(_ column: Int) throws(SQLiteError) -> Double {
        if try type(column) != SQLITE_INTEGER { try check(column, SQLITE_FLOAT, "a real number") }
        return sqlite3_column_double(statement, Int32(column))
    }

    /// Returns the value of a text column, which must be valid UTF-8.
    package func text(_ column: Int) throws(SQLiteError) -> String {
        try check(column, SQLITE_TEXT, "text")
        // Request the pointer before the length, as SQLite's documentation requires.
        guard let bytes = sqlite3_column_text(statement, Int32(column)) else { throw outOfMemory() }
        let count = Int(sqlite3_column_bytes(statement, Int32(column)))
        guard let text = String(validating: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self) else {
            throw SQLiteError(.wrongType, "column \(column) contains text that is not UTF-8", sql: sql)
        }
        return text
    }

    /// Returns the value of a blob column.
    package func blob(_ column: Int) throws(SQLiteError) -> [UInt8] {
        try check(column, SQLITE_BLOB, "a blob")
        let bytes = sqlite3_column_blob(statement, Int32(column))
        let count = Int(sqlite3_column_bytes(statement, Int32(column)))
        // An empty blob has no address.
        guard let bytes, count > 0 else { return [] }
        return Array(UnsafeRawBufferPointer(start: bytes, count: count))
    }

    /// Returns the value of an integer column, or nil for null.
    package func integerOrNil(_ column: Int) throws(SQLiteError) -> Int64? {
        try isNull(column) ? nil : try integer(column)
    }

    private func type(_ column: Int) throws(SQLiteError) -> Int32 {
        guard column >= 0, column < columnCount else {
            throw SQLiteError(.wrongType, "there is no column \(column)", sql: sql)
        }
        return sqlite3_column_type(statement, Int32(column))
    }

    private func check(_ column: Int, _ expected: Int32, _ name: String) throws(SQLiteError) {
        let actual = try type(column)
        guard actual == expected else {
            let names = [SQLITE_INTEGER: "integer", SQLITE_FLOAT: "real", SQLITE_TEXT: "text", SQLITE_BLOB: "blob"]
            let message = "column \(column) contains \(names[actual] ?? "null"), expected \(name)"
            throw SQLiteError(.wrongType, message, sql: sql)
        }
    }

    private func outOfMemory() -> SQLiteError { SQLiteError(.noMemory, "out of memory reading a column", sql: sql) }
}
