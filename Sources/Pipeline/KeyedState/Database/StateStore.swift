internal import Kafka
internal import Primitives
internal import SQLite
internal import Synchronization

/// The database of a keyed state. It reflects a prefix of the state's topics and is written only by the code that
/// applies them.
///
/// `synchronous=NORMAL` is sufficient: if the latest writes are lost, they are read again from Kafka.
final class StateStore: Sendable {
    struct Guarded {
        let database: Database
        let compression: RowCompression
        /// Index entries held back during a restore; nil otherwise.
        var held: HeldEntries?
        /// Whether a restore has dropped the key index but not the indexes on due times and deadlines, which cost
        /// nothing as long as no row has either.
        var hasTimeIndexes = false
        /// Non-nil only while the file is being written directly.
        var marker: RestoreMarker?
        let insert: Statement
        let update: Statement
        let delete: Statement
        let insertEntry: Statement
        let insertEntries: Statement
        let deleteEntry: Statement
        let position: Statement

        init(_ database: Database, _ compression: RowCompression) throws(SQLiteError) {
            self.database = database
            self.compression = compression
            insert = try database.statement(
                """
                INSERT INTO rows (form, behind, due, deadline, proposal_offset, proposal, state, topic, partition, key)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """)
            update = try database.statement(
                """
                UPDATE rows SET form = ?, behind = ?, due = ?, deadline = ?, proposal_offset = ?, proposal = ?, state = ?
                WHERE id = ?
                """)
            delete = try database.statement("DELETE FROM rows WHERE id = ?")
            insertEntry = try database.statement("INSERT OR IGNORE INTO entries (name, value, row) VALUES (?, ?, ?)")
            insertEntries = try database.statement(EntryWriter.insertMany)
            deleteEntry = try database.statement("DELETE FROM entries WHERE name = ? AND value = ? AND row = ?")
            position = try database.statement(
                """
                INSERT INTO positions (topic, partition, next, seen, form, last_offset, last_digest)
                VALUES (?1, ?2, ?3, ?4, CASE WHEN ?5 THEN ~?6 ELSE ?6 END, ?7, ?8)
                ON CONFLICT DO UPDATE SET next = ?3, seen = ?4, form = CASE WHEN ?5 THEN ~?6 ELSE form END,
                last_offset = ?7, last_digest = ?8
                """)
        }
    }

    /// The applied position of a partition.
    struct Position: Sendable {
        var next: Int64
        /// Time of the last write, milliseconds since 1970.
        var seen: Int64
        /// The fingerprint with which all rows of the partition are known to have been published.
        var form: Int64
        /// The last applied record; nil if it is unknown.
        var last: RecordPrint?
    }

    /// The number that identifies each topic in the database.
    let topics: [KafkaTopic: Int64]
    /// Whether index entries are held back.
    let isHolding = Atomic(false)
    /// Whether a restore has dropped the row indexes.
    let lacksIndexes = Atomic(false)
    private let guarded: Mutex<Guarded>

    /// - Parameter dictionary: the model's ``StateModel/dictionary``. If the file's rows were written with a different
    ///   dictionary, they are deleted and read again from the topics.
    init(_ database: sending Database, topics names: [KafkaTopic], dictionary: [UInt8] = []) throws(StateError) {
        var topics: [KafkaTopic: Int64] = [:]
        let statements: Guarded
        do {
            try database.migrate(StateSchema.migrations)
            try Self.use(dictionary, database)
            for topic in names {
                try database.run("INSERT OR IGNORE INTO topics (name) VALUES (?)", [.text(topic.rawValue)])
                topics[topic] = try database.firstRow(
                    "SELECT id FROM topics WHERE name = ?", [.text(topic.rawValue)]
                ) { try $0.integer(0) }
            }
            statements = try Guarded(database, RowCompression(dictionary: dictionary))
        } catch {
            throw StateError(error)
        }
        self.topics = topics
        guarded = Mutex(statements)
    }

    private static func use(_ dictionary: [UInt8], _ database: Database) throws {
        let name = String(FNV1a.hash(dictionary), radix: 16)
        try database.transaction {
            let known = try database.firstRow("SELECT value FROM file WHERE name = 'dictionary'") { try $0.text(0) }
            guard known != name else { return }
            for table in ["entries", "rows", "positions"] { try database.run("DELETE FROM \(table)") }
            try database.run("INSERT OR REPLACE INTO file (name, value) VALUES ('dictionary', ?)", [.text(name)])
        }
    }

    /// Closes the database; every later call fails.
    func close() {
        guarded.withLock { guarded in
            // If this fails, the marker remains, and the next start restores the database again.
            try? Self.endDirectWrites(&guarded)
            guarded.database.close()
        }
    }

    private func place(_ partition: KafkaTopicPartition) -> [SQLiteValue] {
        [.integer(topics[partition.topic] ?? 0), .integer(Int64(partition.partition.rawValue))]
    }

    // MARK: Applying

    /// Writes the changes from batches of records, with the new positions, in one transaction.
    ///
    /// - Returns: the row ids of each write, in order; 0 for removed rows.
    func apply(_ writes: [StateWrite]) throws(StateError) -> [[Int64]] {
        try change { guarded in
            try Self.makeRoom(&guarded)
            let count = guarded.held?.count ?? 0
            do {
                return try guarded.database.transaction { try writes.map { try apply($0, &guarded) } }
            } catch {
                guarded.held?.truncate(to: count)
                throw error
            }
        }
    }

    /// Writes the changes from one batch of records.
    func apply(_ write: StateWrite) throws(StateError) -> [Int64] { try apply([write]).first ?? [] }

    private func apply(_ write: StateWrite, _ guarded: inout Guarded) throws -> [Int64] {
        let place = place(write.partition)
        try Self.dropTimeIndexes(before: write, &guarded)
        var ids = try write.rows.map { try Self.write($0, place, &guarded) }
        try Self.insert(write.copies, place, &guarded) { ids.append($0) }
        for (key, state) in write.fitting {
            try guarded.database.run(
                "DELETE FROM oversized WHERE topic = ? AND key = ? AND state = ?",
                [place[0], .blob(key), .blob(state)])
        }
        try guarded.position.run(
            place + [
                .integer(write.next), .integer(write.now), .integer(write.isOtherForm ? 1 : 0), .integer(write.form),
                .integer(write.last?.offset), .integer(write.last?.digest),
            ])
        return ids
    }

    private static func write(_ write: RowWrite, _ place: [SQLiteValue], _ guarded: inout Guarded) throws -> Int64 {
        guard let image = write.image else {
            guard write.id != 0 else { return 0 }
            for entry in write.oldEntries { try change(entry, of: write.id, isPresent: false, &guarded) }
            try guarded.delete.run([.integer(write.id)])
            return 0
        }
        var values: [SQLiteValue] = []
        values.reserveCapacity(10)
        values.append(.integer(image.form))
        values.append(.integer(image.isBehind ? 1 : 0))
        values.append(.integer(image.due))
        values.append(.integer(image.deadline))
        values.append(.integer(image.proposal?.offset))
        values.append(image.proposal.map { .blob($0.value) } ?? .null)
        values.append(
            .blob(try image.encoded.withUnsafeBytes { try guarded.compression.store($0) { Array($0) } }))
        var id = write.id
        if id == 0 {
            values += place
            values.append(.blob(write.key))
            try guarded.insert.run(values)
            id = guarded.database.lastInsertedRowID
        } else {
            values.append(.integer(id))
            try guarded.update.run(values)
        }
        guard image.entries != write.oldEntries else { return id }
        try forEachMissing(in: image.entries, of: write.oldEntries) {
            try change($0, of: id, isPresent: false, &guarded)
        }
        try forEachMissing(in: write.oldEntries, of: image.entries) {
            try change($0, of: id, isPresent: true, &guarded)
        }
        return id
    }

    /// Calls `body` with the entries that are not in `known`.
    private static func forEachMissing(
        in known: [IndexEntry], of entries: [IndexEntry], _ body: (IndexEntry) throws -> Void
    ) rethrows {
        // Most rows have few entries, and a set costs more than a scan.
        guard known.count > 8 else {
            for entry in entries where !known.contains(entry) { try body(entry) }
            return
        }
        let known = Set(known)
        for entry in entries where !known.contains(entry) { try body(entry) }
    }

    /// Writes or removes an entry, or holds the change back during a restore.
    private static func change(
        _ entry: IndexEntry, of id: Int64, isPresent: Bool, _ guarded: inout Guarded
    ) throws {
        guard guarded.held == nil else {
            guarded.held?.append(entry, of: id, isPresent: isPresent)
            return
        }
        try write(entry, of: id, isPresent: isPresent, guarded)
    }

    private static func write(_ entry: IndexEntry, of id: Int64, isPresent: Bool, _ guarded: Guarded) throws {
        let statement = isPresent ? guarded.insertEntry : guarded.deleteEntry
        try statement.run([.text(entry.name), .text(entry.value), .integer(id)])
    }

    /// Sets the size of the write buffers. A restore uses more memory and disk, because it changes pages throughout the
    /// indexes.
    func use(_ buffers: Database.WriteBuffers) throws(StateError) {
        try access { try $0.database.use(buffers) }
    }

    // MARK: Oversized states

    /// Stores states that cannot be published and therefore exist only in this file. They are joined with the states
    /// stored earlier for the same keys.
    ///
    /// - Parameter joinedBy: joins two states with the same key.
    func keep(
        _ states: [[UInt8]: [UInt8]], of partition: KafkaTopicPartition,
        joinedBy join: ([UInt8], [UInt8]) throws -> [UInt8]
    ) throws(StateError) {
        let place = place(partition)
        try change { guarded in
            // These states are not in any topic, so the file must not be removed after a crash.
            try Self.endDirectWrites(&guarded)
            try guarded.database.transaction {
                for (key, state) in states {
                    let kept = try guarded.database.firstRow(
                        "SELECT state FROM oversized WHERE topic = ? AND key = ?", [place[0], .blob(key)]
                    ) { try $0.blob(0) }
                    let state = try kept.map { try join(state, $0) } ?? state
                    try guarded.database.run(
                        """
                        INSERT INTO oversized (topic, partition, key, state) VALUES (?, ?, ?, ?)
                        ON CONFLICT DO UPDATE SET state = excluded.state
                        """, place + [.blob(key), .blob(state)])
                }
            }
        }
    }

    /// Returns, by key, the states of a partition that could not be published.
    func oversized(_ partition: KafkaTopicPartition) throws(StateError) -> [[UInt8]: [UInt8]] {
        let place = place(partition)
        return try access { guarded in
            let rows = try guarded.database.rows(
                "SELECT key, state FROM oversized WHERE topic = ? AND partition = ?", place
            ) { (try $0.blob(0), try $0.blob(1)) }
            return Dictionary(rows, uniquingKeysWith: { $1 })
        }
    }

    // MARK: Positions

    /// Returns the position from which to apply a partition; nil if nothing has been applied yet.
    func position(of partition: KafkaTopicPartition) throws(StateError) -> Position? {
        let place = place(partition)
        return try access { guarded in
            try guarded.database.firstRow(
                """
                SELECT next, seen, form, last_offset, last_digest FROM positions WHERE topic = ? AND partition = ?
                """, place
            ) { row in
                var position = Position(next: try row.integer(0), seen: try row.integer(1), form: try row.integer(2))
                if let offset = try row.integerOrNil(3), let digest = try row.integerOrNil(4) {
                    position.last = RecordPrint(offset: offset, digest: digest)
                }
                return position
            }
        }
    }

    /// Begins a search for rows of a partition that were published with a fingerprint other than this one.
    func beginSearch(for form: Int64, of partition: KafkaTopicPartition) throws(StateError) {
        let values = [.integer(Self.searched(form))] + place(partition)
        try access { guarded in
            try guarded.database.run("UPDATE positions SET form = ? WHERE topic = ? AND partition = ?", values)
        }
    }

    /// Notes that all rows of a partition are published with this fingerprint, because a search has found no others.
    /// Does nothing if a record with a different one was applied after the search began.
    func note(form: Int64, of partition: KafkaTopicPartition) throws(StateError) {
        let place = place(partition)
        let values: [SQLiteValue] = [.integer(form), place[0], place[1], .integer(Self.searched(form))]
        try access { guarded in
            try guarded.database.run(
                "UPDATE positions SET form = ? WHERE topic = ? AND partition = ? AND form = ?", values)
        }
    }

    /// The value that is stored during a search; it differs from the fingerprint and from its complement, which is
    /// stored when a record with a different fingerprint is applied.
    private static func searched(_ form: Int64) -> Int64 { form ^ .min }

    /// Deletes the position of a partition after its topic was recreated, so that it is read from the beginning and its
    /// rows are republished.
    func restart(_ partition: KafkaTopicPartition) throws(StateError) {
        let place = place(partition)
        try access { guarded in
            try guarded.database.transaction {
                try guarded.database.run("DELETE FROM positions WHERE topic = ? AND partition = ?", place)
                // Offsets of the previous topic are meaningless in the new one. Proposals from the previous topic come
                // before all proposals in the new one.
                try guarded.database.run(
                    """
                    UPDATE rows SET behind = 1, proposal_offset = CASE WHEN proposal IS NULL THEN NULL ELSE -1 END
                    WHERE topic = ? AND partition = ?
                    """, place)
            }
        }
    }

    /// Deletes the rows of a partition, so that all are read again. Some of them may have been erased while the
    /// partition was not followed.
    func forget(_ partition: KafkaTopicPartition) throws(StateError) {
        let place = place(partition)
        try change { guarded in
            try Self.writeHeldEntries(&guarded)
            try guarded.database.transaction {
                try guarded.database.run(
                    "DELETE FROM entries WHERE row IN (SELECT id FROM rows WHERE topic = ? AND partition = ?)", place)
                try guarded.database.run("DELETE FROM rows WHERE topic = ? AND partition = ?", place)
                try guarded.database.run("DELETE FROM positions WHERE topic = ? AND partition = ?", place)
            }
        }
    }

    /// Returns the partition count that a topic had when the file was first used with it. Stores the given count on the
    /// first call.
    func partitionCount(of topic: KafkaTopic, now count: Int) throws(StateError) -> Int {
        let name: SQLiteValue = .text("partitions \(topic)")
        return try access { guarded in
            try guarded.database.run(
                "INSERT OR IGNORE INTO file (name, value) VALUES (?, ?)", [name, .text("\(count)")])
            return try guarded.database.firstRow("SELECT value FROM file WHERE name = ?", [name]) { try $0.text(0) }
                .flatMap { Int($0) } ?? count
        }
    }

    /// Returns the id of the cluster that the file belongs to. Stores the given id on the first call.
    func cluster(_ id: String) throws(StateError) -> String {
        try access { guarded in
            try guarded.database.run("INSERT OR IGNORE INTO file (name, value) VALUES ('cluster', ?)", [.text(id)])
            return try guarded.database.firstRow("SELECT value FROM file WHERE name = 'cluster'") { try $0.text(0) }
                ?? id
        }
    }

    private func access<Result: Sendable>(_ body: (Guarded) throws -> Result) throws(StateError) -> Result {
        try change { try body($0) }
    }

    func change<Result: Sendable>(_ body: (inout Guarded) throws -> Result) throws(StateError) -> Result {
        do { return try guarded.withLock { try body(&$0) } } catch { throw StateError(error) }
    }
}
