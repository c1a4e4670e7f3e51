internal import SQLite

/// Writes a restored database directly. If the process ends before the restore is complete, the file is removed at the
/// next start, because everything in it is read again from the topics.
extension StateStore {
    /// Switches to writing directly to the file, if the topics have all of its data. Called before any other connection
    /// is opened.
    func beginDirectWrites(_ marker: RestoreMarker) throws(StateError) {
        try change { guarded in
            guard try Self.isExpendable(guarded.database) else { return }
            try marker.create()
            guarded.marker = marker
            try guarded.database.beginDirectWrites()
        }
    }

    /// Waits until everything is on disk, then switches back to a write-ahead log.
    func endDirectWrites() throws(StateError) { try change { try Self.endDirectWrites(&$0) } }

    static func endDirectWrites(_ guarded: inout Guarded) throws {
        guard let marker = guarded.marker else { return }
        try guarded.database.endDirectWrites()
        try marker.remove()
        guarded.marker = nil
    }

    /// Returns whether the file has no rows and no data that exists only in this file.
    private static func isExpendable(_ database: Database) throws -> Bool {
        let queries = [
            "SELECT 1 FROM rows LIMIT 1", "SELECT 1 FROM oversized LIMIT 1",
            "SELECT 1 FROM file WHERE name IN ('index', 'records') LIMIT 1",
        ]
        return try queries.allSatisfy { try database.firstRow($0) { _ in true } == nil }
    }
}
