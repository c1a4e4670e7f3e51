internal import Dispatch
package import Kafka
internal import SQLite

/// Reads the rows of a keyed state on a queue and a read-only connection of its own, so that a reader never waits for
/// the writer. What it sees is what was committed.
package final class StateReader<Model: StateModel>: Sendable {
    private let model: Model
    private let queue = DispatchQueue(label: "keyed state reader")
    private let connection: ReaderConnection

    /// - Parameter path: of a database that a ``KeyedState`` has opened before.
    package init(path: String, model: Model) throws(StateError) {
        self.model = model
        do {
            connection = ReaderConnection(try Database(path: path, access: .reader))
        } catch {
            throw StateError(error)
        }
    }

    /// Runs `body` on the reader's queue over one state of the database, and hands what it found to `then`, there too.
    /// How many may wait is the caller's bound.
    package func read<Result: Sendable>(
        _ body: @escaping @Sendable (StateView<Model>) throws -> Result,
        then: @escaping @Sendable (Swift.Result<Result, StateError>) -> Void
    ) {
        queue.async { [connection, model] in
            let database = connection.database
            do {
                try database.run("BEGIN")
                defer { try? database.run("COMMIT") }
                then(.success(try body(StateView(database: database, model: model))))
            } catch {
                then(.failure(StateError(error)))
            }
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
package struct StateView<Model: StateModel> {
    let database: Database
    let model: Model

    // CROSS keeps the order of the tables: a term first, then its rows. Left to itself SQLite walks all rows of the
    // topic, because these are sorted already, rather than sort the few that a term has.
    static var underTerm: String {
        """
        SELECT state FROM terms CROSS JOIN rows ON id = row WHERE name = ? AND value = ? AND topic = ?
        ORDER BY key LIMIT ?
        """
    }
    static var withTerm: String {
        """
        SELECT state FROM terms CROSS JOIN rows ON id = row WHERE name = ? AND value > ? AND topic = ?
        ORDER BY value, row LIMIT ?
        """
    }

    /// The state of a key.
    package func state(of key: [UInt8], in topic: KafkaTopic) throws -> Model.State? {
        try database.firstRow(
            "SELECT state FROM rows WHERE topic = ? AND key = ?", [.text(topic.rawValue), .blob(key)], decode)
    }

    /// The states that are found under a term, by key.
    package func states(under term: StateTerm, in topic: KafkaTopic, atMost limit: Int) throws -> [Model.State] {
        try database.rows(
            Self.underTerm, [.text(term.name), .text(term.value), .text(topic.rawValue), .integer(limit)], decode)
    }

    /// The states that have a term of a name whose value is greater than `value`, by that value.
    package func states(
        withTerm name: String, after value: String, in topic: KafkaTopic, atMost limit: Int
    ) throws -> [Model.State] {
        try database.rows(
            Self.withTerm, [.text(name), .text(value), .text(topic.rawValue), .integer(limit)], decode)
    }

    /// The states whose key is greater than `key`, by key.
    package func states(after key: [UInt8], in topic: KafkaTopic, atMost limit: Int) throws -> [Model.State] {
        try database.rows(
            "SELECT state FROM rows WHERE topic = ? AND key > ? ORDER BY key LIMIT ?",
            [.text(topic.rawValue), .blob(key), .integer(limit)], decode)
    }

    private func decode(_ row: Row) throws -> Model.State { try model.decode(row.blob(0)) }
}

/// The connection of the reader's queue.
private final class ReaderConnection: @unchecked Sendable {
    // @unchecked Sendable because only blocks of the reader's serial queue touch the database.
    let database: Database

    init(_ database: Database) { self.database = database }
}
