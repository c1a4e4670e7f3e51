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
            """)
    ]

    /// Bits of a change's number within one opening of the file.
    static let marksOfRun = 40
}

/// The name of a row.
struct RowName: Hashable {
    let topic: KafkaTopic
    let key: [UInt8]
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

extension Database {
    private static let columns = "id, topic, partition, key, state, mark, published, published_mark, due"

    func row<Model: StateModel>(
        _ name: RowName, model: Model
    ) throws -> StoredRow<Model.State>? {
        try firstRow(
            "SELECT \(Self.columns) FROM rows WHERE topic = ? AND key = ?",
            [.text(name.topic.rawValue), .blob(name.key)]
        ) { try StoredRow($0, model: model) }
    }

    func name(of id: Int64) throws -> RowName? {
        try firstRow("SELECT topic, key FROM rows WHERE id = ?", [.integer(id)]) { row in
            RowName(topic: KafkaTopic(rawValue: try row.text(0)), key: try row.blob(1))
        }
    }

    /// The ids of rows whose publication is missing, or is another by now.
    func pending(of partition: KafkaTopicPartition, at now: Int64, atMost limit: Int) throws -> Set<Int64> {
        let place: [SQLiteValue] = [.text(partition.topic.rawValue), .integer(Int64(partition.partition.rawValue))]
        let unpublished = try rows(
            "SELECT id FROM rows WHERE topic = ? AND partition = ? AND published_mark <> mark LIMIT \(limit)", place
        ) { try $0.integer(0) }
        let due = try rows(
            "SELECT id FROM rows WHERE topic = ? AND partition = ? AND due <= ? LIMIT \(limit)",
            place + [.integer(now)]
        ) { try $0.integer(0) }
        return Set(unpublished).union(due)
    }

    /// Writes a row with its terms.
    ///
    /// - Parameters:
    ///   - encoded: the state; nil when it is as stored.
    ///   - terms: of the state.
    func write<State>(_ row: StoredRow<State>, encoded: [UInt8]?, terms: [StateTerm]) throws {
        if row.id == 0 {
            try run(
                """
                INSERT INTO rows (topic, partition, key, state, mark, published, published_mark, due)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                """,
                [
                    .text(row.partition.topic.rawValue), .integer(Int64(row.partition.partition.rawValue)),
                    .blob(row.key), .blob(encoded ?? []), .integer(row.mark), .integer(row.published),
                    .integer(row.publishedMark), .integer(row.due),
                ])
            row.id = lastInsertedRowID
        } else if let encoded {
            try run(
                "UPDATE rows SET mark = ?, published = ?, published_mark = ?, due = ?, state = ? WHERE id = ?",
                [
                    .integer(row.mark), .integer(row.published), .integer(row.publishedMark), .integer(row.due),
                    .blob(encoded), .integer(row.id),
                ])
        } else {
            try run(
                "UPDATE rows SET mark = ?, published = ?, published_mark = ?, due = ? WHERE id = ?",
                [
                    .integer(row.mark), .integer(row.published), .integer(row.publishedMark), .integer(row.due),
                    .integer(row.id),
                ])
        }
        if let encoded { row.size = encoded.count }
        guard terms != row.terms else { return }
        for term in row.terms where !terms.contains(term) { try remove(term, of: row.id) }
        for term in terms where !row.terms.contains(term) {
            try run(
                "INSERT OR IGNORE INTO terms (name, value, row) VALUES (?, ?, ?)",
                [.text(term.name), .text(term.value), .integer(row.id)])
        }
        row.terms = terms
    }

    func remove<State>(_ row: StoredRow<State>) throws {
        for term in row.terms { try remove(term, of: row.id) }
        try run("DELETE FROM rows WHERE id = ?", [.integer(row.id)])
    }

    private func remove(_ term: StateTerm, of id: Int64) throws {
        try run(
            "DELETE FROM terms WHERE name = ? AND value = ? AND row = ?",
            [.text(term.name), .text(term.value), .integer(id)])
    }
}

extension StoredRow {
    fileprivate convenience init<Model: StateModel>(_ row: Row, model: Model) throws where Model.State == State {
        let encoded = try row.blob(4)
        self.init(
            partition: try KafkaTopicPartition(row, topic: 1, partition: 2), key: try row.blob(3),
            state: try model.decode(encoded))
        id = try row.integer(0)
        terms = model.terms(of: state)
        size = encoded.count
        mark = try row.integer(5)
        published = try row.integer(6)
        publishedMark = try row.integer(7)
        due = try row.integerOrNil(8)
    }
}
