internal import Kafka
internal import SQLite

/// What SQLite alone takes: one upsert for each record, of a row as long as a keyed state's, in batches.
struct BareUpserts {
    let path: String
    /// Rows in one transaction.
    let batch: Int

    /// Rows that one core writes in a second of its time.
    ///
    /// - Parameter size: of the row that the record at an index leaves, in bytes.
    func rate(of backlog: NotificationBacklog, count: Int, size: (Int) -> Int) throws -> Double {
        let database = try Database(path: path)
        defer { database.close() }
        try database.executeScript("CREATE TABLE rows (key BLOB PRIMARY KEY, state BLOB NOT NULL)")
        let upsert = try database.statement(
            "INSERT INTO rows (key, state) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET state = excluded.state")
        var cpu = 0.0
        var index = 0
        while index < count {
            let rows = (index..<min(index + batch, count)).map { index -> [SQLiteValue] in
                let fill = UInt8(truncatingIfNeeded: index)
                return [.blob(backlog.key(at: index)), .blob([UInt8](repeating: fill, count: size(index)))]
            }
            let start = Clocks.threadCPU
            try database.transaction { for row in rows { try upsert.run(row) } }
            cpu += Clocks.threadCPU - start
            index += rows.count
        }
        return Double(count) / (cpu / 1e9)
    }
}
