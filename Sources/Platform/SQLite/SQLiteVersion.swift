internal import CSQLite

/// The version of SQLite that the process runs with, such as `3.40.1`.
package var sqliteVersion: String { String(cString: sqlite3_libversion()) }
