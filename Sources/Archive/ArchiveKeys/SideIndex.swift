package import ArchiveLog
internal import Cryptography
package import KafkaModel
internal import SQLite
internal import Synchronization

/// The archive entry that an index entry refers to.
package struct IndexedPlace: Hashable, Sendable {
    package let partition: KafkaTopicPartition
    /// The index of the leaf in the partition's log.
    package let leaf: Int
    /// The id of the entry's key; nil if the entry is not encrypted.
    package let key: ArchiveKeyId?

    package init(partition: KafkaTopicPartition, leaf: Int, key: ArchiveKeyId?) {
        self.partition = partition
        self.leaf = leaf
        self.key = key
    }
}

extension IndexedPlace: Comparable {
    /// Compares by log, then by leaf.
    package static func < (left: IndexedPlace, right: IndexedPlace) -> Bool {
        (left.partition.topic.rawValue, left.partition.partition, left.leaf)
            < (right.partition.topic.rawValue, right.partition.partition, right.leaf)
    }
}

/// The identifiers under which a leaf can be found.
package struct IndexedEntry: Hashable, Sendable {
    /// The index of the leaf in the log.
    package let leaf: Int
    /// The id of the entry's key; nil if the entry is not encrypted.
    package let key: ArchiveKeyId?
    package let names: Set<IndexedName>

    package init(leaf: Int, key: ArchiveKeyId?, names: Set<IndexedName> = []) {
        self.leaf = leaf
        self.key = key
        self.names = names
    }
}

/// An index of the archive's entries by the identifiers in their records. The index stores identifiers only as HMACs.
/// It can be rebuilt from the archive and its keys at any time, and is updated along with the archive if so configured.
///
/// Calls block on disk I/O, so never make them on the cooperative thread pool.
package final class SideIndex: Sendable {
    private let file: Mutex<SideIndexFile>

    /// - Parameters:
    ///   - path: the database file, created if missing. Its directory must exist.
    ///   - store: the key store that provides the pseudonyms; the index is emptied if it belongs to a different key
    ///     store.
    ///   - busyTimeout: the maximum time that a call waits for other processes.
    /// - Throws: ``ArchiveError``: `keyStoreUnavailable`, or `keyStoreUnusable` for a damaged file, which can be
    ///   deleted.
    package init(
        path: String, store: KeyStore, busyTimeout: Duration = .seconds(10)
    ) throws(ArchiveError) {
        let key = try store.indexKey()
        let marksId = store.marksId
        file = Mutex(try SideIndexFile(path: path, key: key, marksId: marksId, busyTimeout: busyTimeout))
    }

    /// Returns whether the index has no entries for any log.
    package func isEmpty() throws(ArchiveError) -> Bool {
        try file.withLock { (file) throws(ArchiveError) in try file.isEmpty() }
    }

    /// Returns a log's first leaf that has not been indexed yet.
    package func next(of partition: KafkaTopicPartition) throws(ArchiveError) -> Int {
        try file.withLock { (file) throws(ArchiveError) in try file.next(of: partition) }
    }

    /// Adds the identifiers of a log's leaves from ``next(of:)`` up to, but not including, `next`, in one transaction.
    ///
    /// - Parameter unread: leaves with records that could not be decrypted because the key store lacks the key. They
    ///   are kept until ``resolve(_:of:)``.
    package func add(
        _ entries: [IndexedEntry], unread: [IndexedEntry] = [], of partition: KafkaTopicPartition, next: Int
    ) throws(ArchiveError) {
        try file.withLock { (file) throws(ArchiveError) in
            try file.add(entries, unread: unread, of: partition, next: next)
        }
    }

    /// Returns the leaves that could not be decrypted, in log order.
    package func unread() throws(ArchiveError) -> [IndexedPlace] {
        try file.withLock { (file) throws(ArchiveError) in try file.unread() }
    }

    /// Adds the identifiers of leaves that could not be decrypted earlier.
    package func resolve(_ entries: [IndexedEntry], of partition: KafkaTopicPartition) throws(ArchiveError) {
        try file.withLock { (file) throws(ArchiveError) in try file.resolve(entries, of: partition) }
    }

    /// Returns all entries encrypted under a given key, with or without identifiers, in log order.
    package func places(ofKey key: ArchiveKeyId) throws(ArchiveError) -> [IndexedPlace] {
        try file.withLock { (file) throws(ArchiveError) in try file.places(ofKey: key) }
    }

    /// Returns at most `limit` entries for an identifier, in log order.
    package func places(of name: IndexedName, limit: Int = .max) throws(ArchiveError) -> [IndexedPlace] {
        try file.withLock { (file) throws(ArchiveError) in try file.places(of: name, limit: limit) }
    }

    /// Removes the entries for destroyed keys, including copies that SQLite left when it moved rows.
    ///
    /// - Throws: ``ArchiveError``: `notOverwritten` if the entries were removed, but the write-ahead log may still
    ///   contain copies because another process is reading. Call `remove` again.
    package func remove(_ keys: [ArchiveKeyId]) throws(ArchiveError) {
        try file.withLock { (file) throws(ArchiveError) in try file.remove(keys) }
    }

    /// Empties the index, so that it can be rebuilt.
    package func removeAll() throws(ArchiveError) {
        try file.withLock { (file) throws(ArchiveError) in try file.removeAll() }
    }

    package func close() { file.withLock { $0.close() } }
}

/// The open index file. Only one thread may use it at a time.
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
            """),
        // Older entries lack identifiers and keys, so rebuild all entries from the archive.
        Migration(
            """
            DELETE FROM entries; DELETE FROM logs;
            CREATE TABLE unread (
                log INTEGER NOT NULL, leaf INTEGER NOT NULL, key BLOB NOT NULL, PRIMARY KEY (log, leaf)
            ) WITHOUT ROWID;
            """),
    ]

    /// Deletes everything except the pseudonym key's id.
    private static let emptying = "DELETE FROM entries; DELETE FROM unread; DELETE FROM logs;"

    init(
        path: String, key: HMACSHA256Key, marksId: String, busyTimeout: Duration
    ) throws(ArchiveError) {
        self.key = key
        database = try KeyStoreFile.attempting {
            let database = try Database(path: path, access: .sharedWriter, busyTimeout: busyTimeout)
            try database.executeScript("PRAGMA secure_delete=ON; PRAGMA temp_store=MEMORY;")
            try database.migrate(Self.migrations)
            try database.transaction {
                let source = try database.firstRow("SELECT marks FROM source") { try $0.text(0) }
                guard source != marksId else { return }
                try database.executeScript(Self.emptying + "DELETE FROM source;")
                try database.run("INSERT INTO source (marks) VALUES (?)", [.text(marksId)])
            }
            return database
        }
    }

    func close() { database.close() }

    func isEmpty() throws(ArchiveError) -> Bool {
        try KeyStoreFile.attempting { try database.firstRow("SELECT 1 FROM logs") { _ in true } == nil }
    }

    func next(of partition: KafkaTopicPartition) throws(ArchiveError) -> Int {
        try KeyStoreFile.attempting {
            let sql = "SELECT next FROM logs WHERE topic = ? AND part = ?"
            return Int(try database.firstRow(sql, Self.place(partition)) { try $0.integer(0) } ?? 0)
        }
    }

    func add(
        _ entries: [IndexedEntry], unread: [IndexedEntry], of partition: KafkaTopicPartition, next: Int
    ) throws(ArchiveError) {
        try KeyStoreFile.attempting {
            try database.transaction {
                try database.run(
                    """
                    INSERT INTO logs (topic, part, next) VALUES (?, ?, ?)
                    ON CONFLICT (topic, part) DO UPDATE SET next = max(next, excluded.next)
                    """, Self.place(partition) + [.integer(next)])
                guard let log = try number(of: partition) else { return }
                for entry in entries { try insert(entry, log) }
                for entry in unread {
                    guard let key = entry.key else { continue }
                    try database.run(
                        "INSERT OR IGNORE INTO unread (log, leaf, key) VALUES (?, ?, ?)",
                        [.integer(log), .integer(entry.leaf), .blob(key.bytes)])
                }
            }
        }
    }

    func resolve(_ entries: [IndexedEntry], of partition: KafkaTopicPartition) throws(ArchiveError) {
        try KeyStoreFile.attempting {
            try database.transaction {
                guard let log = try number(of: partition) else { return }
                for entry in entries {
                    try insert(entry, log)
                    try database.run(
                        "DELETE FROM unread WHERE log = ? AND leaf = ?", [.integer(log), .integer(entry.leaf)])
                }
            }
        }
    }

    private func number(of partition: KafkaTopicPartition) throws -> Int64? {
        try database.firstRow("SELECT number FROM logs WHERE topic = ? AND part = ?", Self.place(partition)) {
            try $0.integer(0)
        }
    }

    /// Inserts an entry under its identifiers and its key. An entry without identifiers can still be found by its key.
    private func insert(_ entry: IndexedEntry, _ log: Int64) throws {
        var codes = try entry.names.map { try mark($0.bytes) }
        if let key = entry.key { codes.append(try mark([Self.keyPrefix] + key.bytes)) }
        for code in codes {
            try database.run(
                "INSERT OR IGNORE INTO entries (name, log, leaf, key) VALUES (?, ?, ?, ?)",
                [.blob(code), .integer(log), .integer(entry.leaf), .blob(entry.key?.bytes)])
        }
    }

    /// The prefix of keys in the HMAC input. No kind of identifier has this number.
    private static let keyPrefix: UInt8 = 0

    func unread() throws(ArchiveError) -> [IndexedPlace] {
        try KeyStoreFile.attempting {
            try database.rows(
                """
                SELECT l.topic, l.part, u.leaf, u.key FROM unread u JOIN logs l ON l.number = u.log
                ORDER BY l.topic, l.part, u.leaf
                """, [], Self.indexedPlace)
        }
    }

    func places(ofKey key: ArchiveKeyId) throws(ArchiveError) -> [IndexedPlace] {
        try KeyStoreFile.attempting {
            try database.rows(
                Self.selectingPlaces, [.blob(try mark([Self.keyPrefix] + key.bytes)), .integer(-1)],
                Self.indexedPlace)
        }
    }

    private static let selectingPlaces = """
        SELECT l.topic, l.part, e.leaf, e.key FROM entries e JOIN logs l ON l.number = e.log
        WHERE e.name = ? ORDER BY l.topic, l.part, e.leaf LIMIT ?
        """

    func places(of name: IndexedName, limit: Int) throws(ArchiveError) -> [IndexedPlace] {
        try KeyStoreFile.attempting {
            try database.rows(
                Self.selectingPlaces, [.blob(try mark(name.bytes)), .integer(max(0, limit))], Self.indexedPlace)
        }
    }

    private static func indexedPlace(_ row: Row) throws -> IndexedPlace {
        IndexedPlace(
            partition: KafkaTopicPartition(
                topic: KafkaTopic(rawValue: try row.text(0)),
                partition: KafkaPartition(rawValue: Int32(clamping: try row.integer(1)))),
            leaf: Int(try row.integer(2)), key: try row.isNull(3) ? nil : ArchiveKeyId(bytes: try row.blob(3)))
    }

    func remove(_ keys: [ArchiveKeyId]) throws(ArchiveError) {
        guard !keys.isEmpty else { return }
        let isBusy = try KeyStoreFile.attempting {
            let changes = { try self.database.firstRow("SELECT total_changes()") { try $0.integer(0) } }
            let before = try changes()
            try database.transaction {
                for key in keys {
                    for table in ["entries", "unread"] {
                        try database.run("DELETE FROM \(table) WHERE key = ?", [.blob(key.bytes)])
                    }
                }
            }
            // Rewrite the file: SQLite moves rows of these tables between pages, and `secure_delete` does not clear the
            // copies in the old pages.
            if try changes() != before { try database.executeScript("VACUUM") }
            return try database.firstRow("PRAGMA wal_checkpoint(TRUNCATE)") { try $0.integer(0) } != 0
        }
        guard !isBusy else {
            throw ArchiveError(
                .notOverwritten,
                """
                the entries for erased keys are removed, but the write-ahead log of \(database.path) may still contain \
                copies, because another process is reading the database; run the command again
                """)
        }
    }

    func removeAll() throws(ArchiveError) {
        try KeyStoreFile.attempting {
            try database.transaction { try database.executeScript(Self.emptying) }
        }
    }

    private func mark(_ bytes: [UInt8]) throws -> [UInt8] {
        do throws(CryptographyError) {
            return Array(try key.code(for: bytes).bytes.prefix(16))
        } catch { throw ArchiveError(.keyStoreUnavailable, error.message) }
    }

    private static func place(_ partition: KafkaTopicPartition) -> [SQLiteValue] {
        [.text(partition.topic.rawValue), .integer(Int(partition.partition.rawValue))]
    }
}
