internal import Dispatch
public import Kafka
internal import SQLite
internal import Synchronization

/// Reads the rows of a keyed state on queues and read-only connections of its own, so that a reader never waits for the
/// writer, and one that reads much holds up those that come to its queue only. What it sees is what was committed.
public final class StateReader<Model: StateModel>: Sendable {
    private let model: Model
    private let topics: [KafkaTopic: Int64]
    private let lanes: [ReaderLane]
    /// Readings of each lane that wait or run.
    private let loads: Mutex<[Int]>
    /// Writes the index entries that a restore holds back; nil where there are none.
    private let store: StateStore?

    /// - Parameters:
    ///   - path: of a database that a ``StateStore`` has opened before.
    ///   - store: this one, where it may be restored meanwhile.
    ///   - connections: how many readings run side by side.
    init(
        path: String, topics: [KafkaTopic: Int64], model: Model, store: StateStore? = nil, connections: Int = 4
    ) throws(StateError) {
        self.model = model
        self.store = store
        self.topics = topics
        do {
            lanes = try (0..<max(1, connections)).map { _ in
                ReaderLane(try Database(path: path, access: .reader))
            }
        } catch {
            throw StateError(error)
        }
        loads = Mutex([Int](repeating: 0, count: lanes.count))
    }

    /// Runs `body` on the queue that has least to do, over one state of the database, and hands what it found to `then`,
    /// there too. How many may wait is the caller's bound.
    public func read<Result: Sendable>(
        _ body: @escaping @Sendable (StateView<Model>) throws -> Result,
        then: @escaping @Sendable (Swift.Result<Result, StateError>) -> Void
    ) {
        let index = loads.withLock { loads in
            let index = loads.indices.min { loads[$0] < loads[$1] } ?? 0
            loads[index] += 1
            return index
        }
        let lane = lanes[index]
        lane.queue.async { [self] in
            let result = Swift.Result { try read(lane.database, body) }.mapError { StateError($0) }
            // First: whoever reads again at once must not find all but a long reading busy, and wait behind it.
            loads.withLock { $0[index] -= 1 }
            then(result)
        }
    }

    private func read<Result>(_ database: Database, _ body: (StateView<Model>) throws -> Result) throws -> Result {
        if let store, store.isHolding.load(ordering: .acquiring) { try store.writeHeldEntries() }
        return try database.snapshot { try body(StateView(database: database, model: model, topics: topics)) }
    }

    /// As above, for whoever can wait.
    ///
    /// - Throws: a ``StateError``, also for what `body` throws.
    public func read<Result: Sendable>(
        _ body: @escaping @Sendable (StateView<Model>) throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            read(body) { continuation.resume(with: $0) }
        }
    }

    /// Closes the connections after what was asked before.
    package func close() async {
        for lane in lanes {
            await withCheckedContinuation { continuation in
                lane.queue.async {
                    lane.database.close()
                    continuation.resume()
                }
            }
        }
    }
}

/// The rows as one reader's transaction sees them.
public struct StateView<Model: StateModel> {
    let database: Database
    let model: Model
    /// Their numbers in the database.
    let topics: [KafkaTopic: Int64]

    // CROSS keeps the order of the tables: an entry first, then its rows. Left to itself SQLite walks all rows of the
    // topic, because these are sorted already, rather than sort the few that an entry has.
    static var underEntry: String {
        """
        SELECT state FROM entries CROSS JOIN rows ON id = row WHERE name = ? AND value = ? AND topic = ?
        ORDER BY key LIMIT ?
        """
    }
    static var afterEntry: String {
        """
        SELECT state FROM entries CROSS JOIN rows ON id = row WHERE name = ? AND value > ? AND topic = ?
        ORDER BY value, row LIMIT ?
        """
    }

    /// The state of a key.
    public func state(of key: [UInt8], in topic: KafkaTopic) throws -> Model.State? {
        try database.firstRow(
            "SELECT state FROM rows WHERE topic = ? AND key = ?", [number(topic), .blob(key)], decode)
    }

    /// The states that are found under an index entry, by key.
    public func states(under entry: IndexEntry, in topic: KafkaTopic, atMost limit: Int) throws -> [Model.State] {
        try database.rows(
            Self.underEntry, [.text(entry.name), .text(entry.value), number(topic), .integer(limit)], decode)
    }

    /// The states that have an index entry of a name whose value is greater than `value`, by that value.
    public func states(
        withEntry name: String, after value: String, in topic: KafkaTopic, atMost limit: Int
    ) throws -> [Model.State] {
        try database.rows(Self.afterEntry, [.text(name), .text(value), number(topic), .integer(limit)], decode)
    }

    /// The states whose key is greater than `key`, by key.
    public func states(after key: [UInt8], in topic: KafkaTopic, atMost limit: Int) throws -> [Model.State] {
        try database.rows(
            "SELECT state FROM rows WHERE topic = ? AND key > ? ORDER BY key LIMIT ?",
            [number(topic), .blob(key), .integer(limit)], decode)
    }

    private func number(_ topic: KafkaTopic) -> SQLiteValue { .integer(topics[topic] ?? 0) }

    private func decode(_ row: Row) throws -> Model.State { try model.decode(row.blob(0)) }
}

/// A connection, and the queue on which alone it is used.
private final class ReaderLane: @unchecked Sendable {
    // @unchecked Sendable because only blocks of its serial queue touch the database.
    let database: Database
    let queue = DispatchQueue(label: "keyed state reader")

    init(_ database: Database) { self.database = database }
}
