internal import Kafka

/// In-memory rows of one partition: those used recently, and those with a change that is outstanding, unpublished or
/// unwritten.
struct RowCache<Model: StateModel> {
    /// A row in memory, with its id in the database.
    final class Entry {
        let key: [UInt8]
        /// Id of the row in the database; 0 before it is written.
        var id: Int64 = 0
        var state = RowState<Model>()
        /// Index entries of the row in the database.
        var storedEntries: [IndexEntry] = []
        /// Number of uncommitted transactions that write the row.
        var writes = 0
        /// Whether a state from the current batch has already been merged into the row.
        var isTouched = false
        /// The cache generation in which the entry was last used.
        fileprivate var generation = 0

        fileprivate init(key: [UInt8]) { self.key = key }

        /// Whether the entry can be evicted: nothing is outstanding, unpublished or unwritten.
        fileprivate var isClean: Bool { state.isSettled && writes == 0 }
    }

    private(set) var entries: [RowKey: Entry] = [:]
    /// Size in bytes of the encoded rows in `entries`.
    private(set) var bytes = 0
    /// Number of the current generation; a sweep starts the next one.
    private var generation = 0
    /// Size in bytes at which the next sweep takes place. Below it, sweeping is pointless: the rows that the last sweep
    /// kept were in use.
    private var sweepAt = 0

    /// Returns the entry for a key if it is in memory, and marks it as used.
    subscript(key: RowKey) -> Entry? {
        guard let entry = entries[key] else { return nil }
        entry.generation = generation
        return entry
    }

    /// Inserts an entry for a key without a row.
    mutating func insert(_ key: RowKey) -> Entry {
        let entry = Entry(key: key.bytes)
        entry.generation = generation
        entries[key] = entry
        return entry
    }

    /// Inserts a row read from the database.
    ///
    /// - Throws: a ``StateError`` if the row cannot be decoded.
    mutating func insert(
        _ stored: StateRowSource.StoredRow, _ key: RowKey, of model: Model
    ) throws(StateError) -> Entry {
        let row: Model.State
        do { row = try model.decode(stored.image.encoded) } catch { throw StateError(error) }
        var image = stored.image
        image.entries = model.indexEntries(of: row)
        let entry = insert(key)
        entry.id = stored.id
        entry.state = RowState(row: row, image: image)
        entry.storedEntries = image.entries
        bytes += image.encoded.count
        return entry
    }

    /// Changes the row of an entry, and updates `bytes` by the difference in the row's encoded length.
    mutating func change(_ entry: Entry, _ body: (inout RowState<Model>) -> RowEffect) -> RowEffect {
        let before = entry.state.image.encoded.count
        defer { bytes += entry.state.image.encoded.count - before }
        return body(&entry.state)
    }

    mutating func remove(_ key: RowKey) {
        guard let entry = entries.removeValue(forKey: key) else { return }
        bytes -= entry.state.image.encoded.count
    }

    /// Evicts rows that were not used recently if the cache is too large; a limit of 0 evicts all rows that can be
    /// evicted.
    mutating func sweep(to limit: Int) {
        guard bytes > max(limit, sweepAt) || limit == 0 else { return }
        let present = generation
        evict { $0.generation < present || limit == 0 }
        if bytes > limit { evict { _ in true } }
        generation += 1
        sweepAt = 2 * bytes
    }

    private mutating func evict(_ isUnused: (Entry) -> Bool) {
        for entry in entries.values.filter({ $0.isClean && isUnused($0) }) { remove(RowKey(entry.key)) }
    }
}
