internal import CSQLite

/// The version of the loaded SQLite, such as `3.40.1`.
package var sqliteVersion: String { String(cString: sqlite3_libversion()) }
