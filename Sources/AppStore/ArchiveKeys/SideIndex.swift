package import ArchiveFormat
internal import Cryptography
package import KafkaModel
internal import SQLite
internal import Synchronization

/// Which entry of the archive an index entry means.
package struct IndexedPlace: Hashable, Sendable {
    package let partition: KafkaTopicPartition
    /// Index of the leaf in the log of the partition.
    package let leaf: Int
    /// The key of the entry; nil where it is not encrypted.
    package let key: ArchiveKeyId?

    package init(partition: KafkaTopicPartition, leaf: Int, key: ArchiveKeyId?) {
        self.partition = partition
        self.leaf = leaf
        self.key = key
    }
}

/// Finds entries of the archive by the names of their records, which it knows as HMACs alone. It can be made again from
/// the archive and its keys at any time, and follows the archive where it is asked to.
///
/// Calls wait for the disk: never make them on the cooperative pool.
package final class SideIndex: Sendable {
    private let file: Mutex<SideIndexFile>

    /// - Parameters:
    ///   - path: the file, made when there is none; its directory must exist.
    ///   - store: whose marks it uses: an index of another store is emptied.
    /// - Throws: ``ArchiveKeyError``: `unavailable`, or `unusableStore` for a file that is damaged and can be deleted.
    package init(path: String, store: KeyStore) throws(ArchiveKeyError) {
        let key = try store.indexKey()
        let marksId = store.marksId
        file = Mutex(try SideIndexFile(path: path, key: key, marksId: marksId))
    }

    /// Whether it has entries of any log.
    package func isEmpty() throws(ArchiveKeyError) -> Bool {
        try file.withLock { (file) throws(ArchiveKeyError) in try file.isEmpty() }
    }

    /// The first leaf of a log that the index does not have yet.
    package func next(of partition: KafkaTopicPartition) throws(ArchiveKeyError) -> Int {
        try file.withLock { (file) throws(ArchiveKeyError) in try file.next(of: partition) }
    }

    /// Adds what the leaves of one log from ``next(of:)`` to before `next` are found by, in one transaction.
    package func add(
        _ entries: [(leaf: Int, key: ArchiveKeyId?, names: Set<IndexedName>)], of partition: KafkaTopicPartition,
        next: Int
    ) throws(ArchiveKeyError) {
        try file.withLock { (file) throws(ArchiveKeyError) in try file.add(entries, of: partition, next: next) }
    }

    /// The entries of a name, in the order of their logs; at most `limit`.
    package func places(of name: IndexedName, limit: Int = .max) throws(ArchiveKeyError) -> [IndexedPlace] {
        try file.withLock { (file) throws(ArchiveKeyError) in try file.places(of: name, limit: limit) }
    }

    /// Removes the entries of keys that are destroyed.
    package func remove(_ keys: [ArchiveKeyId]) throws(ArchiveKeyError) {
        try file.withLock { (file) throws(ArchiveKeyError) in try file.remove(keys) }
    }

    /// Empties it, to be made again.
    package func removeAll() throws(ArchiveKeyError) {
        try file.withLock { (file) throws(ArchiveKeyError) in try file.removeAll() }
    }

    package func close() { file.withLock { $0.close() } }
}

/// The open file, for one thread at a time.
final class SideIndexFile {
    private let database: Database
    private let key: HMACSHA256Key

    static let migrations = [
        Migration(
            """
            CREATE TABLE source (marks TEXT NOT NULL);
            CREATE TABLE logs (
                number INTEGER PRIMARY KEY, topic TEXT NOT NULL, part INTEGER NOT NULL, next INTEGER NOT NULL,
                UNIQUE (topic, part)
            );
            CREATE TABLE entries (
                name BLOB NOT NULL,  -- the first 16 bytes of the HMAC
                log INTEGER NOT NULL, leaf INTEGER NOT NULL,
                key BLOB,            -- 16 bytes
                PRIMARY KEY (name, log, leaf)
            ) WITHOUT ROWID;
            CREATE INDEX entries_by_key ON entries (key) WHERE key IS NOT NULL;
            """)
    ]

    init(path: String, key: HMACSHA256Key, marksId: String) throws(ArchiveKeyError) {
        self.key = key
        database = try KeyStoreFile.attempting {
            let database = try Database(path: path, access: .sharedWriter, busyTimeout: .seconds(10))
            try database.executeScript("PRAGMA secure_delete=ON; PRAGMA temp_store=MEMORY;")
            try database.migrate(Self.migrations)
            try database.transaction {
                let source = try database.firstRow("SELECT marks FROM source") { try $0.text(0) }
                guard source != marksId else { return }
                try database.executeScript("DELETE FROM entries; DELETE FROM logs; DELETE FROM source;")
                try database.run("INSERT INTO source (marks) VALUES (?)", [.text(marksId)])
            }
            return database
        }
    }

    func close() { database.close() }

    func isEmpty() throws(ArchiveKeyError) -> Bool {
        try KeyStoreFile.attempting { try database.firstRow("SELECT 1 FROM logs") { _ in true } == nil }
    }

    func next(of partition: KafkaTopicPartition) throws(ArchiveKeyError) -> Int {
        try KeyStoreFile.attempting {
            let sql = "SELECT next FROM logs WHERE topic = ? AND part = ?"
            return Int(try database.firstRow(sql, Self.place(partition)) { try $0.integer(0) } ?? 0)
        }
    }

    func add(
        _ entries: [(leaf: Int, key: ArchiveKeyId?, names: Set<IndexedName>)], of partition: KafkaTopicPartition,
        next: Int
    ) throws(ArchiveKeyError) {
        try KeyStoreFile.attempting {
            try database.transaction {
                try database.run(
                    """
                    INSERT INTO logs (topic, part, next) VALUES (?, ?, ?)
                    ON CONFLICT (topic, part) DO UPDATE SET next = max(next, excluded.next)
                    """, Self.place(partition) + [.integer(next)])
                let log = try database.firstRow(
                    "SELECT number FROM logs WHERE topic = ? AND part = ?", Self.place(partition)
                ) { try $0.integer(0) }
                for entry in entries {
                    for name in entry.names {
                        try database.run(
                            "INSERT OR IGNORE INTO entries (name, log, leaf, key) VALUES (?, ?, ?, ?)",
                            [.blob(try mark(name)), .integer(log), .integer(entry.leaf), .blob(entry.key?.bytes)])
                    }
                }
            }
        }
    }

    func places(of name: IndexedName, limit: Int) throws(ArchiveKeyError) -> [IndexedPlace] {
        try KeyStoreFile.attempting {
            try database.rows(
                """
                SELECT l.topic, l.part, e.leaf, e.key FROM entries e JOIN logs l ON l.number = e.log
                WHERE e.name = ? ORDER BY l.topic, l.part, e.leaf LIMIT ?
                """, [.blob(try mark(name)), .integer(max(0, limit))]
            ) { row in
                IndexedPlace(
                    partition: KafkaTopicPartition(
                        topic: KafkaTopic(rawValue: try row.text(0)),
                        partition: KafkaPartition(rawValue: Int32(clamping: try row.integer(1)))),
                    leaf: Int(try row.integer(2)), key: try row.isNull(3) ? nil : ArchiveKeyId(bytes: try row.blob(3)))
            }
        }
    }

    func remove(_ keys: [ArchiveKeyId]) throws(ArchiveKeyError) {
        guard !keys.isEmpty else { return }
        try KeyStoreFile.attempting {
            try database.transaction {
                for key in keys { try database.run("DELETE FROM entries WHERE key = ?", [.blob(key.bytes)]) }
            }
            try database.executeScript("PRAGMA wal_checkpoint(TRUNCATE)")
        }
    }

    func removeAll() throws(ArchiveKeyError) {
        try KeyStoreFile.attempting {
            try database.transaction { try database.executeScript("DELETE FROM entries; DELETE FROM logs;") }
        }
    }

    private func mark(_ name: IndexedName) throws -> [UInt8] {
        do throws(CryptographyError) {
            return Array(try key.code(for: name.bytes).bytes.prefix(16))
        } catch { throw ArchiveKeyError(.unavailable, error.message) }
    }

    private static func place(_ partition: KafkaTopicPartition) -> [SQLiteValue] {
        [.text(partition.topic.rawValue), .integer(Int(partition.partition.rawValue))]
    }
}
