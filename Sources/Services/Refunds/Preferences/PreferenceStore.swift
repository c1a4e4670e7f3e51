internal import Kafka
internal import RefundRules
internal import SQLite
internal import Synchronization

/// Stores each customer's last record from the preferences topic. The store is a separate database that reflects a
/// prefix of the topic.
///
/// Records are stored unparsed and parsed on demand, so an unreadable record is detected and does not leave the
/// previous one in effect. Calls may block on disk I/O.
final class PreferenceStore: Sendable {
    /// The last record for a given key.
    struct Record: Hashable, Sendable {
        let partition: Int32
        let offset: Int64
        let value: [UInt8]

        /// - Throws: ``UnreadablePreference``.
        func preference() throws(UnreadablePreference) -> RefundPreference {
            do throws(RefundInputError) {
                return try RefundPreference(json: value, name: "preference record \(partition)/\(offset)")
            } catch {
                throw UnreadablePreference(description: error.description)
            }
        }
    }

    static let migrations = [
        Migration(
            """
            CREATE TABLE cluster (id TEXT NOT NULL);
            CREATE TABLE positions (partition INTEGER PRIMARY KEY, next INTEGER NOT NULL);
            CREATE TABLE preferences (
                key BLOB PRIMARY KEY,
                partition INTEGER NOT NULL,
                offset INTEGER NOT NULL,
                timestamp INTEGER NOT NULL, -- of the record, ms since 1970
                value BLOB                  -- NULL: a tombstone
            ) WITHOUT ROWID;
            """)
    ]
    /// The maximum length of a key in bytes. Apple's identifiers are never longer, so a longer key does not belong to a
    /// customer.
    private static let maximumKeyBytes = 256

    private let database: Mutex<Database>

    init(_ database: sending Database) throws {
        try database.migrate(Self.migrations)
        self.database = Mutex(database)
    }

    /// Normalizes the case of a key. An appAccountToken is a UUID, which companies write in uppercase or lowercase.
    private static func normalized(_ key: [UInt8]) -> [UInt8] {
        key.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 + 32 : $0 }
    }

    /// Returns a customer's last record by appAccountToken or appTransactionId, or nil if there is none or it is a
    /// tombstone.
    func record(of key: String) throws -> Record? {
        try database.withLock { database in
            try database.firstRow(
                "SELECT partition, offset, value FROM preferences WHERE key = ? AND value IS NOT NULL",
                [.blob(Self.normalized(Array(key.utf8)))]
            ) {
                Record(
                    partition: Int32(clamping: try $0.integer(0)), offset: try $0.integer(1), value: try $0.blob(2))
            }
        }
    }

    /// Returns the next offset of each partition.
    func positions() throws -> [KafkaPartition: KafkaOffset] {
        let rows = try database.withLock { database in
            try database.rows("SELECT partition, next FROM positions") { (try $0.integer(0), try $0.integer(1)) }
        }
        return Dictionary(
            rows.map { (KafkaPartition(rawValue: Int32(clamping: $0)), KafkaOffset(rawValue: $1)) },
            uniquingKeysWith: { $1 })
    }

    /// Returns whether the file belongs to the cluster. A new file is assigned to the first cluster passed in.
    func belongs(to cluster: String) throws -> Bool {
        try database.withLock { database in
            let known = try database.firstRow("SELECT id FROM cluster") { try $0.text(0) }
            if known == nil { try database.run("INSERT INTO cluster (id) VALUES (?)", [.text(cluster)]) }
            return known ?? cluster == cluster
        }
    }

    /// Deletes all data, because the topic was replaced.
    func clear() throws {
        try database.withLock { database in
            try database.transaction {
                for table in ["cluster", "positions", "preferences"] { try database.run("DELETE FROM \(table)") }
            }
        }
    }

    /// Applies one partition's records, in ascending offset order, and stores the next offset.
    ///
    /// - Returns: the number of records without a key, or with a key that cannot belong to a customer.
    func apply(_ records: [KafkaRecord]) throws -> Int {
        guard let last = records.last else { return 0 }
        return try database.withLock { database in
            try database.transaction {
                var ignored = 0
                for record in records {
                    guard let key = record.key, !key.isEmpty, key.count <= Self.maximumKeyBytes else {
                        ignored += 1
                        continue
                    }
                    // Producers with different partitioners may write the same key to two partitions; the later record
                    // takes precedence.
                    try database.run(
                        """
                        INSERT INTO preferences (key, partition, offset, timestamp, value) VALUES (?1, ?2, ?3, ?4, ?5)
                        ON CONFLICT DO UPDATE SET partition = ?2, offset = ?3, timestamp = ?4, value = ?5
                        WHERE partition = ?2 OR timestamp <= ?4
                        """,
                        [
                            .blob(Self.normalized(key)), .integer(Int64(record.partition.rawValue)),
                            .integer(record.offset.rawValue), .integer(record.timestampMilliseconds ?? 0),
                            record.value.map { .blob($0) } ?? .null,
                        ])
                }
                try database.run(
                    """
                    INSERT INTO positions (partition, next) VALUES (?1, ?2)
                    ON CONFLICT DO UPDATE SET next = ?2
                    """, [.integer(Int64(last.partition.rawValue)), .integer(last.offset.rawValue + 1)])
                return ignored
            }
        }
    }

    /// Closes the database. All later calls fail.
    func close() { database.withLock { $0.close() } }
}
