internal import CSQLite

/// A value that is bound to a parameter without a copy. Its bytes must remain valid until the statement has run.
package enum BorrowedValue {
    case null
    case integer(Int64)
    /// Text in UTF-8.
    case text(UnsafeRawBufferPointer)
    case blob(UnsafeRawBufferPointer)

    /// Creates an integer value, or null.
    package static func integer(_ value: Int64?) -> BorrowedValue { value.map { .integer($0) } ?? .null }

    /// Binds the value.
    ///
    /// - Returns: SQLite's result code.
    func bind(to statement: OpaquePointer, at position: Int32) -> Int32 {
        switch self {
        case .null: return sqlite3_bind_null(statement, position)
        case .integer(let integer): return sqlite3_bind_int64(statement, position, integer)
        case .text(let bytes):
            guard let start = bytes.baseAddress, !bytes.isEmpty else {
                return sluice_bind_empty_text(statement, position)
            }
            return sqlite3_bind_text64(
                statement, position, start.assumingMemoryBound(to: CChar.self), UInt64(bytes.count), nil,
                UInt8(SQLITE_UTF8))
        case .blob(let bytes):
            guard let start = bytes.baseAddress, !bytes.isEmpty else {
                return sqlite3_bind_zeroblob(statement, position, 0)
            }
            return sqlite3_bind_blob64(statement, position, start, UInt64(bytes.count), nil)
        }
    }
}
