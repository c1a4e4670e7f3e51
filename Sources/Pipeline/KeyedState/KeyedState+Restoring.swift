internal import SQLite

/// Restoring a database without rows: most rows are new, and each changes pages all over the indexes.
extension KeyedState {
    /// Prepares a restore where the database has no rows; called before anything is followed.
    func beginRestore(_ parts: Parts) throws(StateError) {
        guard try parts.rows.isEmpty() else { return }
        for partition in parts.partitions.values { partition.beginRestore() }
        try parts.store.use(Self.restoreBuffers)
    }

    /// Ends the restore: everything that was published before the start was read.
    func endRestore(_ parts: Parts) {
        for partition in parts.partitions.values { partition.endRestore() }
        // A failure leaves memory in use, and nothing else.
        try? parts.store.use(.usual)
    }

    /// 32 MiB of pages, and a log of 64 MiB.
    private static var restoreBuffers: Database.WriteBuffers { Database.WriteBuffers(cache: 32_768, log: 16_000) }
}
