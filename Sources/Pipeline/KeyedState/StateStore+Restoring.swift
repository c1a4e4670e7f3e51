internal import SQLite
internal import Synchronization

/// Index entries while a database without rows is restored: held in memory, and written a large number at a time in the
/// order of their table. The file says as long as entries are held that its index is not complete, so that a crash
/// loses nothing that is not made of the rows again.
extension StateStore {
    /// Holds index entries back from now on.
    func holdEntries() throws(StateError) {
        try change { guarded in
            try guarded.database.run("INSERT OR REPLACE INTO file (name, value) VALUES ('index', 'held')")
            guarded.held = guarded.held ?? HeldEntries()
            isHolding.store(true, ordering: .releasing)
        }
    }

    /// Writes the entries that are held; more may be held afterwards.
    func writeHeldEntries() throws(StateError) {
        try change { try Self.writeHeldEntries(&$0) }
    }

    /// Writes the entries that are held, and holds none back any more.
    func releaseEntries() throws(StateError) {
        try change { guarded in
            guard let held = guarded.held else { return }
            try guarded.database.transaction {
                try Self.write(held, guarded)
                try guarded.database.run("DELETE FROM file WHERE name = 'index'")
            }
            guarded.held = nil
            isHolding.store(false, ordering: .releasing)
        }
    }

    /// Whether a process has ended while it held entries back.
    func lacksEntries() throws(StateError) -> Bool {
        try change { guarded in
            guard guarded.held == nil else { return false }
            return try guarded.database.firstRow("SELECT 1 FROM file WHERE name = 'index'") { _ in true } ?? false
        }
    }

    /// Writes the index entries of all rows again, after ``holdEntries()``.
    ///
    /// - Parameter entries: of an encoded row.
    func rebuildEntries(_ entries: ([UInt8]) throws -> [IndexEntry]) throws(StateError) {
        try change { guarded in
            try guarded.database.run("DELETE FROM entries")
            var last: Int64 = 0
            while true {
                let rows = try guarded.database.rows(
                    "SELECT id, state FROM rows WHERE id > ? ORDER BY id LIMIT 500", [.integer(last)]
                ) { (id: try $0.integer(0), state: try $0.blob(1)) }
                guard let end = rows.last else { return }
                for row in rows {
                    for entry in try entries(row.state) { guarded.held?.append(entry, of: row.id, isPresent: true) }
                }
                last = end.id
                if guarded.held?.isFull == true { try Self.writeHeldEntries(&guarded) }
            }
        }
    }

    /// Forgets all rows: everything is read again.
    func forgetAll() throws(StateError) {
        try change { guarded in
            try guarded.database.transaction {
                for table in ["entries", "rows", "positions"] { try guarded.database.run("DELETE FROM \(table)") }
            }
            if guarded.held != nil { guarded.held = HeldEntries() }
        }
    }

    /// Has a restore read every record: a row that was taken out of one without reading may be why the file before this
    /// one was damaged.
    func readAllRecords() throws(StateError) {
        try change { try $0.database.run("INSERT OR REPLACE INTO file (name, value) VALUES ('records', 'read')") }
    }

    /// Whether a restore reads every record.
    func readsAllRecords() throws(StateError) -> Bool {
        try change { guarded in
            try guarded.database.firstRow("SELECT 1 FROM file WHERE name = 'records'") { _ in true } ?? false
        }
    }

    static func writeHeldEntries(_ guarded: inout Guarded) throws {
        guard let held = guarded.held, held.count > 0 else { return }
        try guarded.database.transaction { try write(held, guarded) }
        guarded.held = HeldEntries()
    }

    private static func write(_ held: HeldEntries, _ guarded: Guarded) throws {
        for change in held.ordered() { try write(change.entry, of: change.row, isPresent: change.isPresent, guarded) }
    }
}
