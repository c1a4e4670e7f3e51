internal import Primitives
internal import SQLite
internal import Telemetry

/// Restores a database without rows. The indexes are created at the end. Almost every record adds a row, and adding
/// rows to the indexes one by one would change pages throughout them.
extension KeyedState {
    /// Prepares a restore if the database has no rows or an earlier restore was interrupted. Called before any
    /// partition is followed.
    func beginRestore(_ parts: Parts) throws(StateError) {
        let isEmpty = try parts.database.rows.isEmpty()
        let isInterrupted = try parts.database.store.lacksEntries()
        guard isEmpty || isInterrupted else { return }
        try parts.database.store.use(Self.restoreBuffers)
        try parts.database.store.holdEntries()
        // After an interrupted restore, the indexes may be missing.
        try parts.database.store.dropIndexes()
        if !isEmpty {
            try rebuildEntries(parts)
            try parts.database.store.createIndexes()
        }
        if isEmpty {
            let takesRows = try !parts.database.store.readsAllRecords()
            for partition in parts.partitions.values { partition.beginRestore(takesRows: takesRows) }
        }
        withRunning { $0.isRestoring = true }
    }

    /// Rebuilds the index entries that an interrupted restore held back.
    private func rebuildEntries(_ parts: Parts) throws(StateError) {
        do throws(StateError) {
            try parts.database.store.rebuildEntries { [model] in try model.indexEntries(of: model.decode($0)) }
        } catch  where error.code != .sqlite {
            logger.warning(
                "a row from an interrupted restore is unreadable; restoring all rows",
                [LogField(.error, error.message)])
            try parts.database.store.forgetAll()
        }
    }

    /// Ends the restore once everything published before startup has been read; retries until the database can be
    /// written.
    func endRestore(_ parts: Parts) {
        let isFirst = withRunning { running in
            defer { running.isRestoreEnding = running.isRestoring }
            return running.isRestoring && !running.isRestoreEnding
        }
        guard isFirst else { return }
        // `followers` counts this task, so the service waits for the task when stopping.
        followers.begin { [self] in
            while !withRunning({ $0.isStopping }) {
                do throws(StateError) {
                    return try finishRestore(parts)
                } catch {
                    fail(error)
                    frequent.log(
                        .error, key: "restore", "failed to complete the restore; retrying",
                        [LogField(.error, error.message)])
                }
                guard (try? await Task.sleep(for: .milliseconds(500))) != nil else { return }
            }
        }
    }

    private func finishRestore(_ parts: Parts) throws(StateError) {
        try parts.database.store.releaseEntries()
        try parts.database.store.endDirectWrites()
        for partition in parts.partitions.values { partition.endRestore() }
        // If this fails, the larger buffers merely stay in use.
        try? parts.database.store.use(.usual)
        let now = clocks.monotonicMilliseconds()
        let start = withRunning { running in
            running.isRestoring = false
            return running.restore.start
        }
        guard let start else { return }
        logger.info("all partitions of the state are restored", [LogField(.milliseconds, now - start)])
    }

    /// The write buffers used during a restore: a page cache of 32 MiB and a log of 64 MiB.
    private static var restoreBuffers: Database.WriteBuffers { Database.WriteBuffers(cache: 32_768, log: 16_000) }
}
