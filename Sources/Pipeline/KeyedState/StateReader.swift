internal import Dispatch
public import Kafka
internal import SQLite

/// Reads the rows of a keyed state on a queue and a read-only connection of its own, so that a reader never waits for
/// the writer. What it sees is what was committed.
public final class StateReader<Model: StateModel>: Sendable {
    private let model: Model
    private let topics: [KafkaTopic: Int64]
    private let queue = DispatchQueue(label: "keyed state reader")
    private let connection: ReaderConnection

    /// - Parameter path: of a database that a ``StateStore`` has opened before.
    init(path: String, topics: [KafkaTopic: Int64], model: Model) throws(StateError) {
        self.model = model
        self.topics = topics
        do {
            connection = ReaderConnection(try Database(path: path, access: .reader))
        } catch {
            throw StateError(error)
        }
    }

    /// Runs `body` on the reader's queue over one state of the database, and hands what it found to `then`, there too.
    /// How many may wait is the caller's bound.
    public func read<Result: Sendable>(
        _ body: @escaping @Sendable (StateView<Model>) throws -> Result,
        then: @escaping @Sendable (Swift.Result<Result, StateError>) -> Void
    ) {
        queue.async { [connection, model, topics] in
            let database = connection.database
            do {
                try database.run("BEGIN")
                defer { try? database.run("COMMIT") }
                then(.success(try body(StateView(database: database, model: model, topics: topics))))
            } catch {
                then(.failure(StateError(error)))
            }
        }
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

    /// Closes the connection after what was asked before.
    package func close() async {
        await withCheckedContinuation { continuation in
            queue.async { [connection] in
                connection.database.close()
                continuation.resume()
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

/// The connection of the reader's queue.
private final class ReaderConnection: @unchecked Sendable {
    // @unchecked Sendable because only blocks of the reader's serial queue touch the database.
    let database: Database

    init(_ database: Database) { self.database = database }
}
