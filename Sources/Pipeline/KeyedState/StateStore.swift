internal import Kafka
internal import SQLite
internal import Synchronization

/// The rows of a keyed state in SQLite: a cache of the state's topics, and what is not published yet.
///
/// One writer a file. Each change is one transaction of rows, terms and positions; `synchronous=NORMAL`, because a lost
/// tail comes back from Kafka. Publications are handed over while the database is held, so that they stand in the log in
/// the order of the changes.
final class StateStore<Model: StateModel>: Sendable {
    typealias State = Model.State

    /// A row to be published.
    struct Change: Sendable {
        let row: Int64
        let partition: KafkaTopicPartition
        let key: [UInt8]
        /// Nil: a tombstone.
        let value: [UInt8]?
        /// Of the record; nil for the moment of writing.
        let timestamp: Int64?
        /// The number of the change that the value holds.
        let mark: Int64
    }

    /// Changes that were handed over for publication, and where their outcome is reported.
    struct Publication: Sendable {
        let changes: [Change]
        let group: StatePublisher.Group
    }

    /// What a merge of a batch did.
    struct Merge: Sendable {
        /// The rows that are another than before.
        var changed: [State] = []
        /// States that were older than what was known.
        var late = 0
        /// What must be acknowledged before the batch is done: its changes, and earlier ones of its keys.
        var publication: Publication?
    }

    /// What reading the topic did.
    struct Followed: Sendable {
        var merged = 0
        var unreadable = 0
        /// Rows of which the topic's last word says less than is known here.
        var behind = 0
    }

    struct Guarded {
        let database: Database
        var statements: StateStatements
        /// The number of the next change.
        var nextMark: Int64
        /// Publications handed over and not settled, by row.
        var inFlight: [Int64: Int64] = [:]
        /// Acknowledged publications that were not read back yet.
        var ownOffsets: [KafkaTopicPartition: Set<Int64>] = [:]
        /// Where the topic was read up to, as committed.
        var positions: [KafkaTopicPartition: Int64] = [:]
        /// Of each topic, as far as they were heard of.
        var partitions: [KafkaTopic: Int32] = [:]
        var cache = RowCache<State>()

        mutating func takeMark() -> Int64 {
            defer { nextMark += 1 }
            return nextMark
        }
    }

    let path: String
    let model: Model
    private let publish: @Sendable ([Change]) -> StatePublisher.Group
    private let guarded: Mutex<Guarded>

    /// - Parameter publish: hands over in this order; must not block and must not call the store.
    init(
        _ database: sending Database, model: Model, publish: @escaping @Sendable ([Change]) -> StatePublisher.Group
    ) throws(StateError) {
        path = database.path
        self.model = model
        self.publish = publish
        var positions: [KafkaTopicPartition: Int64] = [:]
        let nextMark: Int64
        let statements: StateStatements
        do {
            try database.migrate(StateSchema.migrations)
            nextMark = try database.transaction {
                try database.run("INSERT INTO runs DEFAULT VALUES")
                return database.lastInsertedRowID << StateSchema.marksOfRun
            }
            let rows = try database.rows("SELECT topic, partition, next FROM positions") { row in
                (try KafkaTopicPartition(row, topic: 0, partition: 1), try row.integer(2))
            }
            for (place, next) in rows { positions[place] = next }
            statements = try StateStatements(database)
        } catch {
            throw StateError(error)
        }
        guarded = Mutex(
            Guarded(database: database, statements: statements, nextMark: nextMark, positions: positions))
    }

    /// Notes how many partitions a topic has.
    func learn(_ partitions: Int, of topic: KafkaTopic) {
        guarded.withLock { $0.partitions[topic] = Int32(clamping: partitions) }
    }

    /// Everything afterwards fails.
    func close() { guarded.withLock { $0.database.close() } }

    // MARK: Merging and publishing

    /// Merges states into the rows of a partition of their topic, in one transaction, and hands over what must be
    /// published.
    ///
    /// - Parameter now: milliseconds since 1970.
    func merge(
        _ incoming: [State], in partition: KafkaTopicPartition, at now: Int64
    ) throws(StateError) -> Merge {
        try write { guarded in
            var merge = Merge()
            var work = RowsInWork(model, guarded)
            for state in incoming {
                let name = RowName(topic: partition.topic, key: model.key(of: state))
                if try work.merge(state, into: name, in: partition, &guarded).isLate { merge.late += 1 }
            }
            let changes = try finish(&work, now, &guarded) { merge.changed.append($0) }
            return (merge, changes)
        } then: { guarded, result in
            var merge = result.0
            merge.publication = hand(over: result.1, &guarded)
            return merge
        }
    }

    /// Writes what is to be published: rows that changed, and rows whose last change is not published yet.
    private func finish(
        _ work: inout RowsInWork<Model>, _ now: Int64, _ guarded: inout Guarded, changed: (State) -> Void = { _ in }
    ) throws -> [Change] {
        try work.spread(&guarded)
        var changes: [Change] = []
        changes.reserveCapacity(work.entries.count)
        for place in work.entries.indices {
            let entry = work.entries[place]
            guard entry.isChanged || !entry.row.isPublished else { continue }
            if entry.isChanged { changed(entry.row.state) }
            changes.append(try put(entry, now, &guarded))
        }
        work.giveBack(to: &guarded.cache)
        return changes
    }

    /// Writes a row that is to be published.
    private func put(_ entry: RowsInWork<Model>.Entry, _ now: Int64, _ guarded: inout Guarded) throws -> Change {
        let encoded = model.encode(entry.row.state)
        let publication = model.publication(of: entry.row.state, row: encoded, at: now)
        if entry.isChanged || entry.row.id == 0 { entry.row.mark = guarded.takeMark() }
        // Not before the next look, whatever the model says.
        entry.row.due = publication.nextChange.map { max($0, now + 1) }
        try guarded.statements.write(
            entry.row, encoded: entry.isChanged ? encoded : nil,
            terms: entry.isChanged ? model.terms(of: entry.row.state) : entry.row.terms)
        return Change(
            row: entry.row.id, partition: entry.row.partition, key: entry.row.key, value: publication.value,
            timestamp: publication.timestamp, mark: entry.row.mark)
    }

    private func hand(over changes: [Change], _ guarded: inout Guarded) -> Publication? {
        guard !changes.isEmpty else { return nil }
        for change in changes { guarded.inFlight[change.row] = change.mark }
        return Publication(changes: changes, group: publish(changes))
    }

    /// Notes what became of publications: the offset of each that was acknowledged.
    ///
    /// - Parameter offsets: by row, of those that were acknowledged.
    func settle(_ publication: Publication, offsets: [Int64: Int64]) throws(StateError) {
        try write { guarded in
            for change in publication.changes {
                let offset = offsets[change.row]
                if guarded.inFlight[change.row] == change.mark { guarded.inFlight[change.row] = nil }
                guard let offset else { continue }
                // The last word of the topic decides, whichever acknowledgement comes last.
                try guarded.statements.settle(change.row, published: offset, mark: change.mark)
                guarded.cache.published(
                    RowName(topic: change.partition.topic, key: change.key), offset: offset, mark: change.mark)
                if offset >= guarded.positions[change.partition] ?? 0 {
                    guarded.ownOffsets[change.partition, default: []].insert(offset)
                }
            }
        } then: { _, _ in
        }
    }

    /// Hands over rows of a partition that the topic does not have as they are, and rows whose value is another by now
    /// although nothing was merged.
    ///
    /// - Returns: those handed over, at most `limit`; what is on its way already is left out. Nil when there are none.
    func publishPending(
        of partition: KafkaTopicPartition, at now: Int64, atMost limit: Int
    ) throws(StateError) -> Publication? {
        let ids = try read { database in try database.pending(of: partition, at: now, atMost: limit) }
        guard !ids.isEmpty else { return nil }
        return try write { guarded in
            var work = RowsInWork(model, guarded)
            var changes: [Change] = []
            for id in ids where guarded.inFlight[id] == nil {
                guard let name = try guarded.statements.name(of: id), let place = try work.find(name, &guarded) else {
                    continue
                }
                let entry = work.entries[place]
                // A new number: the value is another, and only its own acknowledgement is the topic's last word.
                entry.row.mark = guarded.takeMark()
                changes.append(try put(entry, now, &guarded))
            }
            work.giveBack(to: &guarded.cache)
            return changes
        } then: { guarded, changes in
            hand(over: changes, &guarded)
        }
    }

    /// The row of a key with what `contribution` adds, to be published: for a fact that comes from no input topic.
    ///
    /// - Returns: nil when there is no such row.
    func contribute(
        _ contribution: @Sendable (State) throws -> State?, to key: [UInt8], in topic: KafkaTopic, at now: Int64
    ) throws(StateError) -> (state: State, publication: Publication?)? {
        try write { guarded -> (state: State, changes: [Change])? in
            var work = RowsInWork(model, guarded)
            let name = RowName(topic: topic, key: key)
            guard let place = try work.find(name, &guarded) else { return nil }
            let row = work.entries[place].row
            if let other = try contribution(row.state) {
                _ = try work.merge(other, into: name, in: row.partition, &guarded)
            }
            let changes = try finish(&work, now, &guarded)
            return (row.state, changes)
        } then: { guarded, result in
            result.map { ($0.state, hand(over: $0.changes, &guarded)) }
        }
    }

    // MARK: Access

    /// How many rows there are, and how many of them the topic does not have as they are.
    func counts() throws(StateError) -> (rows: Int64, unpublished: Int64) {
        try read { database in
            try database.firstRow(
                "SELECT (SELECT count(*) FROM rows), (SELECT count(*) FROM marks WHERE published_mark <> mark)"
            ) { (try $0.integer(0), try $0.integer(1)) } ?? (0, 0)
        }
    }

    /// All states, in no order.
    func states() throws(StateError) -> [State] {
        try read { [model] database in
            try database.rows("SELECT state FROM rows") { row in try model.decode(row.blob(0)) }
        }
    }

    func read<Result: Sendable>(_ body: @Sendable (Database) throws -> Result) throws(StateError) -> Result {
        do { return try guarded.withLock { try body($0.database) } } catch { throw StateError(error) }
    }

    /// Runs `body` in a transaction, then `then` while the database is still held.
    func write<Written: Sendable, Result: Sendable>(
        _ body: @Sendable (inout Guarded) throws -> Written, then: @Sendable (inout Guarded, Written) -> Result
    ) throws(StateError) -> Result {
        do {
            return try guarded.withLock { guarded in
                let database = guarded.database
                do {
                    let written = try database.transaction { try body(&guarded) }
                    return then(&guarded, written)
                } catch {
                    // Rows were given back before the commit that failed.
                    guarded.cache.removeAll()
                    guarded.statements.forgetPlaces()
                    throw error
                }
            }
        } catch {
            throw StateError(error)
        }
    }
}

extension StateError {
    init(_ error: any Error) {
        switch error {
        case let error as StateError: self = error
        case let error as SQLiteError: self.init(error)
        default: self.init(.damaged, "a row cannot be read: \(error)")
        }
    }

    init(_ error: SQLiteError) {
        let code: Code =
            switch error.code {
            case .ownedByAnother: .ownedByAnother
            case .newerSchema: .newer
            default: error.isCorrupt ? .damaged : .sqlite
            }
        self.init(code, error.message)
    }
}
