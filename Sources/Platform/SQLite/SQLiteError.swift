internal import CSQLite

/// A failed database operation. Equality compares all properties.
package struct SQLiteError: Error, Equatable, CustomStringConvertible {
    /// A primary SQLite result code (https://www.sqlite.org/rescode.html), or one of this library's negative codes.
    package struct Code: RawRepresentable, Sendable, Hashable {
        package let rawValue: Int32
        package init(rawValue: Int32) { self.rawValue = rawValue }

        package static let busy = Code(rawValue: SQLITE_BUSY)
        package static let locked = Code(rawValue: SQLITE_LOCKED)
        package static let readOnly = Code(rawValue: SQLITE_READONLY)
        package static let interrupted = Code(rawValue: SQLITE_INTERRUPT)
        package static let inputOutput = Code(rawValue: SQLITE_IOERR)
        package static let corrupt = Code(rawValue: SQLITE_CORRUPT)
        package static let full = Code(rawValue: SQLITE_FULL)
        package static let cannotOpen = Code(rawValue: SQLITE_CANTOPEN)
        package static let constraint = Code(rawValue: SQLITE_CONSTRAINT)
        package static let notADatabase = Code(rawValue: SQLITE_NOTADB)
        package static let misuse = Code(rawValue: SQLITE_MISUSE)
        package static let noMemory = Code(rawValue: SQLITE_NOMEM)

        /// Another process, or another `Database` in this process, has the file open as a writer.
        package static let ownedByAnother = Code(rawValue: -1)
        /// A newer version of the program wrote the file.
        package static let newerSchema = Code(rawValue: -2)
        /// A column does not have the requested type, or its text is not UTF-8.
        package static let wrongType = Code(rawValue: -3)
        /// The number of values differs from the number of parameters in the statement.
        package static let wrongParameterCount = Code(rawValue: -4)
        /// The database has been closed.
        package static let closed = Code(rawValue: -5)
    }

    /// The kind of failure. Callers base decisions on it and on the properties below.
    package let code: Code
    /// SQLite's extended result code, or the same number as `code` if there is none.
    package let extendedCode: Int32
    /// The message from SQLite or from this library.
    package let message: String
    /// The statement, if there is one, with placeholders instead of values.
    package let sql: String?

    init(_ code: Code, _ message: String, sql: String? = nil) {
        self.code = code
        self.extendedCode = code.rawValue
        self.message = message
        self.sql = sql
    }

    init(connection: OpaquePointer?, result: Int32, sql: String? = nil) {
        let extended = connection.map { sqlite3_extended_errcode($0) } ?? result
        // The connection stores only the last failure. If the result is from a different call, use a generic message.
        let isOfThisCall = extended & 0xFF == result & 0xFF
        self.code = Code(rawValue: result & 0xFF)
        self.extendedCode = isOfThisCall ? extended : result
        let text = isOfThisCall ? connection.flatMap { sqlite3_errmsg($0) } : sqlite3_errstr(result)
        self.message = text.map { String(cString: $0) } ?? "result \(result)"
        self.sql = sql
    }

    /// Whether another connection has a lock. If so, the statement may succeed later.
    package var isBusy: Bool { code == .busy || code == .locked }
    /// Whether the disk is full or the database has reached its size limit.
    package var isFull: Bool { code == .full }
    /// Whether the file is corrupt or is not a database. If so, move the file away and rebuild the database.
    package var isCorrupt: Bool { code == .corrupt || code == .notADatabase }
    /// Whether the operation may succeed later, with the same program and data.
    package var isRetriable: Bool {
        isBusy || isFull || [.inputOutput, .cannotOpen, .noMemory, .interrupted, .ownedByAnother].contains(code)
    }

    package var description: String {
        "SQLite \(extendedCode): \(message)" + (sql.map { " in: \($0)" } ?? "")
    }
}
