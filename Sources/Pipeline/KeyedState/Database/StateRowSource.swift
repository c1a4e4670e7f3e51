internal import Kafka
internal import SQLite
internal import Synchronization

/// Reads rows over a few read-only connections, for merging and applying, so that partitions wait neither for each
/// other nor for the transaction that applies the topic.
final class StateRowSource: Sendable {
    struct StoredRow: Sendable {
        let id: Int64
        let image: RowImage
    }

    private struct Connection {
        let database: Database
        let find: Statement
        let findById: Statement
        let compression: RowCompression
    }

    private let topics: [KafkaTopic: Int64]
    /// The store that creates the indexes during a restore; nil if there is none.
    private let store: StateStore?
    private let connections: [Slot]

    private final class Slot: Sendable {
        let connection: Mutex<Connection>
        init(_ connection: sending Connection) { self.connection = Mutex(connection) }
    }

    /// - Parameters:
    ///   - path: the path of a database that a ``StateStore`` has already opened.
    ///   - topics: the number that identifies each topic in the database.
    ///   - dictionary: the model's ``StateModel/dictionary``.
    ///   - store: that store, if a restore may be in progress; nil otherwise.
    init(
        path: String, topics: [KafkaTopic: Int64], dictionary: [UInt8] = [], store: StateStore? = nil,
        connections count: Int
    ) throws(StateError) {
        self.topics = topics
        self.store = store
        do {
            connections = try (0..<count).map { _ in
                let database = try Database(path: path, access: .reader)
                let columns = "SELECT id, form, behind, due, deadline, proposal_offset, proposal, state FROM rows"
                let find = try database.statement("\(columns) WHERE topic = ? AND key = ?")
                let findById = try database.statement("\(columns) WHERE id = ? AND topic = ? AND key = ?")
                let compression = try RowCompression(dictionary: dictionary)
                return Slot(
                    Connection(database: database, find: find, findById: findById, compression: compression))
            }
        } catch {
            throw StateError(error)
        }
    }

    static let due = """
        SELECT key FROM rows WHERE topic = ?1 AND partition = ?2 AND due / 3600000 <= ?3 / 3600000
        AND due IS NOT NULL AND due <= ?3 LIMIT ?4
        """

    // Without NOT INDEXED, SQLite would read all rows of the topic by key, and sort them, for each batch.
    static let otherFormQuery = """
        SELECT id, key FROM rows NOT INDEXED WHERE id > ?3 AND topic = ?1 AND partition = ?2 AND form <> ?4
        ORDER BY id LIMIT ?5
        """

    func close() { for slot in connections { slot.connection.withLock { $0.database.close() } } }

    /// Returns the row for a key.
    ///
    /// - Parameter id: the row's id, by which it can be found while the indexes are missing; nil if it is unknown.
    func row(of key: [UInt8], id: Int64? = nil, in partition: KafkaTopicPartition) throws(StateError) -> StoredRow? {
        if id == nil { try createIndexes() }
        return try read(partition) { connection, place in try Self.row(of: key, id: id, place, connection) }
    }

    /// Reads existing rows in a single transaction: after the database has changed, a connection begins each
    /// transaction with an empty cache.
    ///
    /// - Parameter keys: the keys, each with the id of its row, or nil if the id is unknown.
    func rows(
        of keys: [(key: [UInt8], id: Int64?)], in partition: KafkaTopicPartition,
        _ found: ([UInt8], StoredRow) throws -> Void
    ) throws(StateError) {
        if keys.contains(where: { $0.id == nil }) { try createIndexes() }
        try read(partition) { connection, place in
            try connection.database.snapshot {
                for (key, id) in keys {
                    if let row = try Self.row(of: key, id: id, place, connection) { try found(key, row) }
                }
            }
        }
    }

    /// Creates the indexes that a restore has dropped, so that no query reads all rows.
    private func createIndexes() throws(StateError) {
        if let store, store.lacksIndexes.load(ordering: .acquiring) { try store.createIndexes() }
    }

    private static func row(
        of key: [UInt8], id: Int64?, _ place: [SQLiteValue], _ connection: Connection
    ) throws -> StoredRow? {
        let values: [SQLiteValue] = [place[0], .blob(key)]
        let statement = id == nil ? connection.find : connection.findById
        return try statement.firstRow(id.map { [.integer($0)] + values } ?? values) { row in
            var image = RowImage(
                encoded: try connection.compression.row(row.blob(7)), form: try row.integer(1),
                isBehind: try row.integer(2) != 0,
                due: try row.integerOrNil(3), deadline: try row.integerOrNil(4))
            if let offset = try row.integerOrNil(5) {
                image.proposal = StateProposal(value: try row.blob(6), offset: offset)
            }
            return StoredRow(id: try row.integer(0), image: image)
        }
    }

    /// Returns the keys of rows that the owner must publish because their last record is incomplete or their value has
    /// changed with time.
    func pending(of partition: KafkaTopicPartition, at now: Int64, atMost limit: Int) throws(StateError) -> [[UInt8]] {
        try createIndexes()
        return try read(partition) { connection, place in
            let behind = try connection.database.rows(
                "SELECT key FROM rows WHERE topic = ? AND partition = ? AND behind LIMIT ?", place + [.integer(limit)]
            ) { try $0.blob(0) }
            let due = try connection.database.rows(
                Self.due, place + [.integer(now), .integer(limit)]
            ) { try $0.blob(0) }
            return Array(Set(behind + due))
        }
    }

    /// Returns rows that were last published with a different fingerprint, sorted by id.
    func otherForm(
        than form: Int64, of partition: KafkaTopicPartition, after id: Int64, atMost limit: Int
    ) throws(StateError) -> [(id: Int64, key: [UInt8])] {
        try read(partition) { connection, place in
            try connection.database.rows(
                Self.otherFormQuery, place + [.integer(id), .integer(form), .integer(limit)]
            ) { (try $0.integer(0), try $0.blob(1)) }
        }
    }

    /// Returns the keys of rows with a deadline at or before a moment, sorted by deadline.
    func deadlines(
        of partition: KafkaTopicPartition, upTo moment: Int64, keys: StateKeys = .all, atMost limit: Int
    ) throws(StateError) -> [(deadline: Int64, key: [UInt8])] {
        try createIndexes()
        return try read(partition) { connection, place in
            try connection.database.rows(
                """
                SELECT deadline, key FROM rows WHERE topic = ? AND partition = ? AND deadline IS NOT NULL
                AND deadline <= ?\(keys.condition) ORDER BY deadline LIMIT ?
                """, place + [.integer(moment)] + keys.values + [.integer(limit)]
            ) { (try $0.integer(0), try $0.blob(1)) }
        }
    }

    /// Returns whether the database has any data for a partition that is empty in the topic: rows, or states that were
    /// too large to publish.
    ///
    /// If the partition once had records, refused states do not count, because the rows of those records are lost.
    func knows(_ partition: KafkaTopicPartition, hadRecords: Bool) throws(StateError) -> Bool {
        try read(partition) { connection, place in
            try (hadRecords ? ["rows"] : ["rows", "oversized"]).contains { table in
                try connection.database.firstRow(
                    "SELECT 1 FROM \(table) WHERE topic = ? AND partition = ? LIMIT 1", place
                ) { _ in true } ?? false
            }
        }
    }

    /// Returns whether no partition has any rows.
    func isEmpty() throws(StateError) -> Bool {
        do {
            return try connections[0].connection.withLock {
                try $0.database.firstRow("SELECT 1 FROM rows LIMIT 1") { _ in true } == nil
            }
        } catch {
            throw StateError(error)
        }
    }

    /// Returns all encoded rows, in no particular order.
    func states() throws(StateError) -> [[UInt8]] {
        do {
            return try connections[0].connection.withLock { connection in
                try connection.database.rows("SELECT state FROM rows") { try connection.compression.row($0.blob(0)) }
            }
        } catch {
            throw StateError(error)
        }
    }

    private func read<Result: Sendable>(
        _ partition: KafkaTopicPartition, _ body: (Connection, [SQLiteValue]) throws -> Result
    ) throws(StateError) -> Result {
        let number = Int64(partition.partition.rawValue)
        let place: [SQLiteValue] = [.integer(topics[partition.topic] ?? 0), .integer(number)]
        do {
            for slot in connections {
                let result = try slot.connection.withLockIfAvailable { try body($0, place) }
                if let result { return result }
            }
            return try connections[Int(number.magnitude) % connections.count].connection.withLock {
                try body($0, place)
            }
        } catch {
            throw StateError(error)
        }
    }
}
