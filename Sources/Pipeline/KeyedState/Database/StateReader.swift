internal import Dispatch
public import Kafka
internal import SQLite
internal import Synchronization

/// Reads the rows of a keyed state on its own queues and read-only connections. Reads therefore never wait for the
/// writer, and a long read delays only the reads on the same queue. The reader sees only committed rows.
public final class StateReader<Model: StateModel>: Sendable {
    private let model: Model
    private let topics: [KafkaTopic: Int64]
    private let lanes: [ReaderLane]
    /// Number of reads that are waiting or running in each lane.
    private let loads: Mutex<[Int]>
    /// The store that completes the indexes during a restore; nil if there is none.
    private let store: StateStore?

    /// - Parameters:
    ///   - path: the path of a database that a ``StateStore`` has already opened.
    ///   - store: that store, if a restore may be in progress; nil otherwise.
    ///   - connections: the number of reads that can run in parallel.
    init(
        path: String, topics: [KafkaTopic: Int64], model: Model, store: StateStore? = nil, connections: Int = 4
    ) throws(StateError) {
        self.model = model
        self.store = store
        self.topics = topics
        do {
            lanes = try (0..<max(1, connections)).map { _ in
                ReaderLane(
                    try Database(path: path, access: .reader), try RowCompression(dictionary: model.dictionary))
            }
        } catch {
            throw StateError(error)
        }
        loads = Mutex([Int](repeating: 0, count: lanes.count))
    }

    /// Runs `body` on the least loaded queue, with one snapshot of the database, and passes its result to `then` on the
    /// same queue. The caller must limit the number of waiting reads.
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
            let result = Swift.Result { try read(lane, body) }.mapError { StateError($0) }
            // Do this before `then`. Otherwise, this lane would still count as busy, and a caller that immediately
            // reads again might have to wait for a long read in another lane.
            loads.withLock { $0[index] -= 1 }
            then(result)
        }
    }

    private func read<Result>(_ lane: ReaderLane, _ body: (StateView<Model>) throws -> Result) throws -> Result {
        if let store, store.isHolding.load(ordering: .acquiring) { try store.complete() }
        return try lane.database.snapshot {
            try body(
                StateView(database: lane.database, compression: lane.compression, model: model, topics: topics))
        }
    }

    /// Reads like ``read(_:then:)`` and waits for the result.
    ///
    /// - Throws: a ``StateError``, which also wraps errors that `body` throws.
    public func read<Result: Sendable>(
        _ body: @escaping @Sendable (StateView<Model>) throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            read(body) { continuation.resume(with: $0) }
        }
    }

    /// Closes the connections after all earlier reads.
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

/// The rows in the snapshot of a read transaction.
public struct StateView<Model: StateModel> {
    let database: Database
    let compression: RowCompression
    let model: Model
    /// The number that identifies each topic in the database.
    let topics: [KafkaTopic: Int64]

    // CROSS fixes the join order: the entry first, then its rows. Otherwise, SQLite would scan all rows of the topic,
    // which are already sorted, instead of sorting the few rows of an entry.
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

    /// Returns the state for a key.
    public func state(of key: [UInt8], in topic: KafkaTopic) throws -> Model.State? {
        try database.firstRow(
            "SELECT state FROM rows WHERE topic = ? AND key = ?", [number(topic), .blob(key)], decode)
    }

    /// Returns the states that have this index entry, sorted by key.
    public func states(under entry: IndexEntry, in topic: KafkaTopic, atMost limit: Int) throws -> [Model.State] {
        try database.rows(
            Self.underEntry, [.text(entry.name), .text(entry.value), number(topic), .integer(limit)], decode)
    }

    /// Returns the states that have an index entry with this name and a value greater than `value`, sorted by that
    /// value.
    public func states(
        withEntry name: String, after value: String, in topic: KafkaTopic, atMost limit: Int
    ) throws -> [Model.State] {
        try database.rows(Self.afterEntry, [.text(name), .text(value), number(topic), .integer(limit)], decode)
    }

    /// Returns the states with a key greater than `key`, sorted by key.
    public func states(after key: [UInt8], in topic: KafkaTopic, atMost limit: Int) throws -> [Model.State] {
        try database.rows(
            "SELECT state FROM rows WHERE topic = ? AND key > ? ORDER BY key LIMIT ?",
            [number(topic), .blob(key), .integer(limit)], decode)
    }

    private func number(_ topic: KafkaTopic) -> SQLiteValue { .integer(topics[topic] ?? 0) }

    private func decode(_ row: Row) throws -> Model.State { try model.decode(compression.row(row.blob(0))) }
}

/// A connection, and the only queue that uses it.
private final class ReaderLane: @unchecked Sendable {
    // @unchecked Sendable because only blocks on its serial queue touch the properties.
    let database: Database
    let compression: RowCompression
    let queue = DispatchQueue(label: "keyed state reader")

    init(_ database: Database, _ compression: RowCompression) {
        self.database = database
        self.compression = compression
    }
}
