internal import Kafka
internal import SQLite

/// The tables of a keyed state.
enum StateSchema {
    static let migrations = [
        Migration(
            """
            CREATE TABLE rows (
                id INTEGER PRIMARY KEY,
                topic TEXT NOT NULL,
                partition INTEGER NOT NULL,
                key BLOB NOT NULL,
                state BLOB NOT NULL,
                mark INTEGER NOT NULL,           -- number of the last change
                published INTEGER NOT NULL,      -- offset of the topic's last word on the key; -1: none
                published_mark INTEGER NOT NULL, -- the change it holds; -1: another's, and less than the row
                due INTEGER,                     -- when the published value will be another, ms since 1970
                UNIQUE (topic, key)
            );
            CREATE INDEX rows_unpublished ON rows (topic, partition) WHERE published_mark <> mark;
            CREATE INDEX rows_due ON rows (topic, partition, due) WHERE due IS NOT NULL;
            CREATE TABLE terms (
                name TEXT NOT NULL, value TEXT NOT NULL, row INTEGER NOT NULL REFERENCES rows (id),
                PRIMARY KEY (name, value, row)
            ) WITHOUT ROWID;
            CREATE TABLE positions (
                topic TEXT NOT NULL, partition INTEGER NOT NULL,
                next INTEGER NOT NULL, -- offset up to which the topic was read
                seen INTEGER NOT NULL, -- when, ms since 1970
                PRIMARY KEY (topic, partition)
            ) WITHOUT ROWID;
            -- Each opening of the file: numbers of changes are never given twice.
            CREATE TABLE runs (number INTEGER PRIMARY KEY AUTOINCREMENT);
            """),
        // What becomes of a row's publication stands apart from the row: that is long, and this is written twice for
        // each change of it.
        Migration(
            """
            CREATE TABLE places (
                id INTEGER PRIMARY KEY, topic TEXT NOT NULL, partition INTEGER NOT NULL, UNIQUE (topic, partition)
            );
            CREATE TABLE marks (
                row INTEGER PRIMARY KEY,
                place INTEGER NOT NULL,
                mark INTEGER NOT NULL,           -- number of the last change
                published INTEGER NOT NULL,      -- offset of the topic's last word on the key; -1: none
                published_mark INTEGER NOT NULL, -- the change it holds; -1: another's, and less than the row
                due INTEGER                      -- when the published value will be another, ms since 1970
            );
            INSERT INTO places (topic, partition) SELECT DISTINCT topic, partition FROM rows;
            INSERT INTO marks (row, place, mark, published, published_mark, due)
                SELECT rows.id, places.id, mark, published, published_mark, due
                FROM rows JOIN places USING (topic, partition);
            DROP INDEX rows_unpublished;
            DROP INDEX rows_due;
            ALTER TABLE rows DROP COLUMN mark;
            ALTER TABLE rows DROP COLUMN published;
            ALTER TABLE rows DROP COLUMN published_mark;
            ALTER TABLE rows DROP COLUMN due;
            CREATE INDEX marks_unpublished ON marks (place) WHERE published_mark <> mark;
            CREATE INDEX marks_due ON marks (place, due) WHERE due IS NOT NULL;
            """),
    ]

    /// Bits of a change's number within one opening of the file.
    static let marksOfRun = 40
}

/// The name of a row.
struct RowName: Hashable {
    let topic: KafkaTopic
    let key: [UInt8]

    /// There are few topics: what tells names apart is the key.
    func hash(into hasher: inout Hasher) { key.withUnsafeBytes { hasher.combine(bytes: $0) } }
}

/// A row as it is stored. A reference, so that it goes from cache to work and back without a copy of its state; the
/// store's lock guards it.
final class StoredRow<State: Sendable & Equatable> {
    /// 0 for one that is not stored yet.
    var id: Int64
    var partition: KafkaTopicPartition
    var key: [UInt8]
    var state: State
    /// Under what it is found, as stored.
    var terms: [StateTerm]
    /// Bytes of the state as stored.
    var size: Int
    var mark: Int64
    var published: Int64
    var publishedMark: Int64
    var due: Int64?

    /// A new row.
    init(partition: KafkaTopicPartition, key: [UInt8], state: State) {
        id = 0
        self.partition = partition
        self.key = key
        self.state = state
        terms = []
        size = 0
        mark = -1
        published = -1
        publishedMark = -1
    }

    /// Whether the topic's last word is the state as it is.
    var isPublished: Bool { publishedMark == mark }
}

extension KafkaTopicPartition {
    init(_ row: Row, topic: Int, partition: Int) throws {
        self.init(
            topic: KafkaTopic(rawValue: try row.text(topic)),
            partition: KafkaPartition(rawValue: Int32(clamping: try row.integer(partition))))
    }
}

/// The statements over the tables, compiled once.
struct StateStatements {
    private let find: Statement
    private let nameOf: Statement
    private let insert: Statement
    private let update: Statement
    private let mark: Statement
    private let settle: Statement
    private let insertTerm: Statement
    private let removeTerm: Statement
    private let database: Database
    private var places: [KafkaTopicPartition: Int64] = [:]

    init(_ database: Database) throws(SQLiteError) {
        self.database = database
        find = try database.statement(
            """
            SELECT id, partition, state, mark, published, published_mark, due FROM rows JOIN marks ON row = id
            WHERE topic = ? AND key = ?
            """)
        nameOf = try database.statement("SELECT topic, key FROM rows WHERE id = ?")
        insert = try database.statement("INSERT INTO rows (topic, partition, key, state) VALUES (?, ?, ?, ?)")
        update = try database.statement("UPDATE rows SET state = ? WHERE id = ?")
        mark = try database.statement(
            """
            INSERT INTO marks (row, place, mark, published, published_mark, due) VALUES (?, ?, ?, ?, ?, ?)
            ON CONFLICT (row) DO UPDATE SET mark = excluded.mark, published = excluded.published,
                published_mark = excluded.published_mark, due = excluded.due
            """)
        settle = try database.statement(
            "UPDATE marks SET published = ?2, published_mark = ?3 WHERE row = ?1 AND published <= ?2")
        insertTerm = try database.statement("INSERT OR IGNORE INTO terms (name, value, row) VALUES (?, ?, ?)")
        removeTerm = try database.statement("DELETE FROM terms WHERE name = ? AND value = ? AND row = ?")
    }

    func row<Model: StateModel>(_ name: RowName, model: Model) throws -> StoredRow<Model.State>? {
        try find.firstRow([.text(name.topic.rawValue), .blob(name.key)]) { row in
            let encoded = try row.blob(2)
            let partition = KafkaPartition(rawValue: Int32(clamping: try row.integer(1)))
            let stored = StoredRow(
                partition: KafkaTopicPartition(topic: name.topic, partition: partition), key: name.key,
                state: try model.decode(encoded))
            stored.id = try row.integer(0)
            stored.terms = model.terms(of: stored.state)
            stored.size = encoded.count
            stored.mark = try row.integer(3)
            stored.published = try row.integer(4)
            stored.publishedMark = try row.integer(5)
            stored.due = try row.integerOrNil(6)
            return stored
        }
    }

    func name(of id: Int64) throws -> RowName? {
        try nameOf.firstRow([.integer(id)]) { row in
            RowName(topic: KafkaTopic(rawValue: try row.text(0)), key: try row.blob(1))
        }
    }

    /// Writes a row with its terms.
    ///
    /// - Parameters:
    ///   - encoded: the state; nil when it is as stored.
    ///   - terms: of the state.
    mutating func write<State>(_ row: StoredRow<State>, encoded: [UInt8]?, terms: [StateTerm]) throws {
        if row.id == 0 {
            try insert.run([
                .text(row.partition.topic.rawValue), .integer(Int64(row.partition.partition.rawValue)),
                .blob(row.key), .blob(encoded ?? []),
            ])
            row.id = database.lastInsertedRowID
        } else if let encoded {
            try update.run([.blob(encoded), .integer(row.id)])
        }
        try mark.run([
            .integer(row.id), .integer(try place(row.partition)), .integer(row.mark), .integer(row.published),
            .integer(row.publishedMark), .integer(row.due),
        ])
        if let encoded { row.size = encoded.count }
        guard terms != row.terms else { return }
        for term in row.terms where !terms.contains(term) { try remove(term, of: row.id) }
        for term in terms where !row.terms.contains(term) {
            try insertTerm.run([.text(term.name), .text(term.value), .integer(row.id)])
        }
        row.terms = terms
    }

    /// Notes the topic's last word on a row, unless a later one is known.
    func settle(_ row: Int64, published offset: Int64, mark: Int64) throws {
        try settle.run([.integer(row), .integer(offset), .integer(mark)])
    }

    func remove<State>(_ row: StoredRow<State>) throws {
        for term in row.terms { try remove(term, of: row.id) }
        try database.run("DELETE FROM marks WHERE row = ?", [.integer(row.id)])
        try database.run("DELETE FROM rows WHERE id = ?", [.integer(row.id)])
    }

    private func remove(_ term: StateTerm, of id: Int64) throws {
        try removeTerm.run([.text(term.name), .text(term.value), .integer(id)])
    }

    private mutating func place(_ partition: KafkaTopicPartition) throws -> Int64 {
        if let place = places[partition] { return place }
        let place = try database.place(of: partition)
        places[partition] = place
        return place
    }

    /// What was made in a transaction that was undone is not there.
    mutating func forgetPlaces() { places = [:] }
}

extension Database {
    /// The number of a partition; it gets one when it has none.
    func place(of partition: KafkaTopicPartition) throws -> Int64 {
        let values: [SQLiteValue] = [.text(partition.topic.rawValue), .integer(Int64(partition.partition.rawValue))]
        let find = "SELECT id FROM places WHERE topic = ? AND partition = ?"
        if let id = try firstRow(find, values, { try $0.integer(0) }) { return id }
        try run("INSERT INTO places (topic, partition) VALUES (?, ?)", values)
        return lastInsertedRowID
    }

    /// The ids of rows whose publication is missing, or is another by now.
    func pending(of partition: KafkaTopicPartition, at now: Int64, atMost limit: Int) throws -> Set<Int64> {
        let place: [SQLiteValue] = [.text(partition.topic.rawValue), .integer(Int64(partition.partition.rawValue))]
        let unpublished = try rows(
            """
            SELECT row FROM marks WHERE place = (SELECT id FROM places WHERE topic = ? AND partition = ?)
            AND published_mark <> mark LIMIT \(limit)
            """, place
        ) { try $0.integer(0) }
        let due = try rows(
            """
            SELECT row FROM marks WHERE place = (SELECT id FROM places WHERE topic = ? AND partition = ?)
            AND due <= ? LIMIT \(limit)
            """, place + [.integer(now)]
        ) { try $0.integer(0) }
        return Set(unpublished).union(due)
    }
}
