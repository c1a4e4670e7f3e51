/// One step of a schema's history: the statements that migrate a database to the next version.
package struct Migration: Sendable {
    /// Statements without parameters, separated by semicolons.
    package let sql: String

    package init(_ sql: String) {
        self.sql = sql
    }
}

extension Database {
    /// Returns the schema version stored in the file, or 0 for a new file.
    package func userVersion() throws(SQLiteError) -> Int {
        Int(try pragma("PRAGMA user_version"))
    }

    /// Migrates the schema to the latest version. The version of a step is its position in the list, counted from 1, so
    /// steps may only be appended. Each step and the update of the stored version form one transaction.
    ///
    /// - Throws: ``SQLiteError/Code/newerSchema`` if the file has more steps than the list.
    package func migrate(_ migrations: [Migration]) throws {
        let version = try userVersion()
        guard version <= migrations.count else {
            let message = "\(path) has schema version \(version); this program supports up to \(migrations.count)"
            throw SQLiteError(.newerSchema, message)
        }
        for (index, migration) in migrations.enumerated().dropFirst(max(0, version)) {
            try transaction {
                // Another process that shares the file may already have run this step.
                guard try userVersion() == index else { return }
                try executeScript(migration.sql)
                // A pragma cannot take parameters.
                try executeScript("PRAGMA user_version = \(index + 1)")
            }
        }
    }

    /// Returns the problems that `PRAGMA quick_check` finds, or an empty array if the file is intact. Reads the whole
    /// file.
    ///
    /// - Throws: a corruption error if the check cannot read the file.
    package func quickCheck() throws -> [String] {
        let problems = try rows("PRAGMA quick_check") { row in try row.text(0) }
        return problems == ["ok"] ? [] : problems
    }

    private func pragma(_ sql: String) throws(SQLiteError) -> Int64 {
        do {
            return try firstRow(sql) { row in try row.integer(0) } ?? 0
        } catch let error as SQLiteError {
            throw error
        } catch {
            // The closure above throws no other error.
            throw SQLiteError(.misuse, "\(error)", sql: sql)
        }
    }
}
