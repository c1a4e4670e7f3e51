internal import Kafka

/// A keyed state's database: one writer and several read-only connections.
struct StateDatabase<Model: StateModel>: Sendable {
    let store: StateStore
    let writer: StateWriter
    /// Reads rows for the partitions.
    let rows: StateRowSource
    /// Reads rows for callers.
    let reader: StateReader<Model>

    /// - Parameters:
    ///   - path: the path of the store's database.
    ///   - connections: the number of rows that partitions can read in parallel.
    ///   - readers: the number of callers that can read in parallel.
    /// - Throws: a ``StateError`` if a connection cannot be opened.
    init(
        _ store: StateStore, path: String, model: Model, connections: Int, readers: Int = 4
    ) throws(StateError) {
        self.store = store
        writer = StateWriter(store)
        rows = try StateRowSource(
            path: path, topics: store.topics, dictionary: model.dictionary, store: store, connections: connections)
        reader = try StateReader(
            path: path, topics: store.topics, model: model, store: store, connections: readers)
    }

    /// Closes all connections. Writes the held entries first; otherwise, the next start would rebuild the index entries
    /// of all rows.
    func close() async {
        await reader.close()
        rows.close()
        try? store.releaseEntries()
        store.close()
    }
}
