internal import SQLite
internal import Synchronization

/// Handles index entries while a database without rows is being restored. They are held in memory and written in large
/// batches, in index order. The row indexes are created at the end. In the meantime, the file is marked as incomplete,
/// so that after a crash the next start completes it from the rows.
extension StateStore {
    /// Begins to hold back index entries.
    func holdEntries() throws(StateError) {
        try change { guarded in
            try guarded.database.run("INSERT OR REPLACE INTO file (name, value) VALUES ('index', 'held')")
            guarded.held = guarded.held ?? HeldEntries(path: Self.entriesPath(guarded))
            isHolding.store(true, ordering: .releasing)
        }
    }

    /// Drops the row indexes until the restore ends or a row is looked up by a column. Creating them from all rows
    /// costs less than changing a page of each index for every row. The indexes on due times and deadlines are dropped
    /// only before the first row that has either, because creating an index reads all rows.
    func dropIndexes() throws(StateError) {
        try change { guarded in
            try guarded.database.executeScript(StateSchema.dropKeyIndex)
            guarded.hasTimeIndexes = true
            lacksIndexes.store(true, ordering: .releasing)
        }
    }

    /// Drops the indexes on due times and deadlines if a write contains a row that has either.
    static func dropTimeIndexes(before write: StateWrite, _ guarded: inout Guarded) throws {
        guard guarded.hasTimeIndexes else { return }
        let hasTimes =
            write.copies.haveTimes || write.rows.contains { $0.image?.due != nil || $0.image?.deadline != nil }
        guard hasTimes else { return }
        try guarded.database.executeScript(StateSchema.dropTimeIndexes)
        guarded.hasTimeIndexes = false
    }

    /// Creates the row indexes that a restore has dropped; later rows are added to them.
    ///
    /// - Throws: a ``StateError`` with code `damaged` if two rows have the same key.
    func createIndexes() throws(StateError) {
        try change { guarded in
            guard lacksIndexes.load(ordering: .acquiring) else { return }
            do {
                try guarded.database.transaction { try guarded.database.executeScript(StateSchema.createIndexes) }
            } catch let error as SQLiteError where error.code == .constraint {
                throw StateError(.damaged, "two rows have the same key: \(error.message)")
            }
            guarded.hasTimeIndexes = false
            lacksIndexes.store(false, ordering: .releasing)
        }
    }

    /// Makes all rows and entries visible to queries. Entries of later changes may still be held back.
    func complete() throws(StateError) {
        try createIndexes()
        try writeHeldEntries()
    }

    /// Writes the held entries. Entries of later changes may still be held back.
    func writeHeldEntries() throws(StateError) {
        try change { try Self.writeHeldEntries(&$0) }
    }

    /// Writes the held entries, stops holding back entries and creates the row indexes.
    func releaseEntries() throws(StateError) {
        try createIndexes()
        try change { guarded in
            guard guarded.held != nil else { return }
            try Self.writeHeldEntries(&guarded)
            try guarded.database.run("DELETE FROM file WHERE name = 'index'")
            guarded.held = nil
            isHolding.store(false, ordering: .releasing)
        }
    }

    /// Returns whether a process ended while it was holding back entries.
    func lacksEntries() throws(StateError) -> Bool {
        try change { guarded in
            guard guarded.held == nil else { return false }
            return try guarded.database.firstRow("SELECT 1 FROM file WHERE name = 'index'") { _ in true } ?? false
        }
    }

    /// Rebuilds the index entries of all rows; called after ``holdEntries()``.
    ///
    /// - Parameter entries: returns the index entries of an encoded row.
    func rebuildEntries(_ entries: ([UInt8]) throws -> [IndexEntry]) throws(StateError) {
        try change { guarded in
            try guarded.database.run("DELETE FROM entries")
            var last: Int64 = 0
            while true {
                let rows = try guarded.database.rows(
                    "SELECT id, state FROM rows WHERE id > ? ORDER BY id LIMIT 500", [.integer(last)]
                ) { (id: try $0.integer(0), state: try guarded.compression.row($0.blob(1))) }
                guard let end = rows.last else { return }
                for row in rows {
                    for entry in try entries(row.state) { guarded.held?.append(entry, of: row.id, isPresent: true) }
                }
                last = end.id
                try Self.makeRoom(&guarded)
            }
        }
    }

    /// Deletes all rows and positions, so that everything is read again from the topics.
    func forgetAll() throws(StateError) {
        try change { guarded in
            try guarded.database.transaction {
                for table in ["entries", "rows", "positions"] { try guarded.database.run("DELETE FROM \(table)") }
            }
            if guarded.held != nil { guarded.held = HeldEntries(path: Self.entriesPath(guarded)) }
        }
    }

    /// Makes restores decode every record, because the damage to the previous file may have been caused by a row that
    /// was copied without being decoded.
    func readAllRecords() throws(StateError) {
        try change { try $0.database.run("INSERT OR REPLACE INTO file (name, value) VALUES ('records', 'read')") }
    }

    /// Returns whether restores decode every record.
    func readsAllRecords() throws(StateError) -> Bool {
        try change { guarded in
            try guarded.database.firstRow("SELECT 1 FROM file WHERE name = 'records'") { _ in true } ?? false
        }
    }

    /// Moves held entries from memory to a file if there are too many.
    static func makeRoom(_ guarded: inout Guarded) throws {
        guard let held = guarded.held else { return }
        if held.hasManyNames {
            try writeHeldEntries(&guarded)
        } else if held.isFull {
            try guarded.held?.moveToRun()
        }
    }

    static func writeHeldEntries(_ guarded: inout Guarded) throws {
        guard guarded.held?.isEmpty == false else { return }
        if let merge = try guarded.held?.merged() {
            try write(merge, guarded)
        } else {
            try guarded.database.transaction {
                var writer = EntryWriter(guarded, names: guarded.held?.names ?? [])
                try guarded.held?.forEach { try writer.apply($0) }
                try writer.flush()
            }
        }
        guarded.held = HeldEntries(path: entriesPath(guarded))
    }

    /// Writes entries in several transactions, so that the log does not grow too large. If a transaction fails, all
    /// entries are written again, with the same result.
    private static func write(_ merge: EntryMerge, _ guarded: Guarded) throws {
        var isAtEnd = false
        while !isAtEnd {
            try guarded.database.transaction {
                var writer = EntryWriter(guarded, names: guarded.held?.names ?? [])
                for _ in 0..<100_000 {
                    guard let entry = try merge.next() else {
                        isAtEnd = true
                        break
                    }
                    try writer.apply(entry)
                }
                try writer.flush()
            }
        }
    }

    private static func entriesPath(_ guarded: Guarded) -> String { guarded.database.path + "-entries" }

    /// Inserts rows that were copied from their records, and calls `inserted` with the id of each.
    static func insert(
        _ copies: CopiedRows, _ place: [SQLiteValue], _ guarded: inout Guarded, inserted: (Int64) -> Void
    ) throws {
        guard case .integer(let topic)? = place.first, case .integer(let partition)? = place.last else { return }
        var values = [BorrowedValue](repeating: .null, count: 10)
        values[1] = .integer(0)
        values[7] = .integer(topic)
        values[8] = .integer(partition)
        try copies.forEach { copy, block in
            values[0] = .integer(copy.form)
            values[2] = .integer(copy.due)
            values[3] = .integer(copy.deadline)
            values[4] = .integer(copy.proposal?.offset)
            values[9] = .blob(UnsafeRawBufferPointer(rebasing: block[copy.key]))
            try guarded.compression.store(UnsafeRawBufferPointer(rebasing: block[copy.state])) { row in
                values[6] = .blob(row)
                try withBytes(of: copy.proposal) { proposal in
                    values[5] = proposal
                    try guarded.insert.run(borrowing: values)
                }
            }
            let id = guarded.database.lastInsertedRowID
            let entries = UnsafeRawBufferPointer(rebasing: block[copy.entries])
            try PackedEntries.forEach(in: entries) { name, value in try addEntry(name, value, of: id, &guarded) }
            inserted(id)
        }
    }

    private static func withBytes(
        of proposal: StateProposal?, _ body: (BorrowedValue) throws -> Void
    ) throws {
        guard let proposal else { return try body(.null) }
        try proposal.value.withUnsafeBytes { try body(.blob($0)) }
    }

    private static func addEntry(
        _ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, of id: Int64, _ guarded: inout Guarded
    ) throws {
        guard guarded.held == nil else {
            guarded.held?.append(name, value, of: id, isPresent: true)
            return
        }
        try guarded.insertEntry.run(borrowing: [.text(name), .text(value), .integer(id)])
    }
}
