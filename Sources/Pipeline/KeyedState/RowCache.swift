internal import Kafka

/// Rows of one partition in memory: those that were used lately, and those of which something is on its way, unpublished
/// or unwritten.
struct RowCache<Model: StateModel> {
    /// A row with its place in the database.
    final class Entry {
        let key: [UInt8]
        /// Its number in the database; 0 before the row is there.
        var id: Int64 = 0
        var state = RowState<Model>()
        /// Index entries by which the row is found in the database.
        var storedEntries: [IndexEntry] = []
        /// Transactions that write the row and are not committed.
        var writes = 0
        /// The batch in hand has it already.
        var isTouched = false
        /// The sweep of the cache in which it was last used.
        fileprivate var generation = 0

        fileprivate init(key: [UInt8]) { self.key = key }

        /// Safe to evict: nothing pending, unpublished or unwritten.
        fileprivate var isClean: Bool { state.isSettled && writes == 0 }
    }

    private(set) var entries: [RowKey: Entry] = [:]
    /// Bytes of the encoded rows in `entries`.
    private(set) var bytes = 0
    /// The present sweep.
    private var generation = 0
    /// There is no sweep below this, in bytes: what the last one left was in use.
    private var sweepAt = 0

    /// The entry of a key in memory; it counts as used.
    subscript(key: RowKey) -> Entry? {
        guard let entry = entries[key] else { return nil }
        entry.generation = generation
        return entry
    }

    /// An entry for a key without a row.
    mutating func insert(_ key: RowKey) -> Entry {
        let entry = Entry(key: key.bytes)
        entry.generation = generation
        entries[key] = entry
        return entry
    }

    /// Keeps a row that was read from the database.
    ///
    /// - Throws: a ``StateError`` for a row that cannot be decoded.
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

    /// Changes the row of an entry, whose encoded form may have another length afterwards.
    mutating func change(_ entry: Entry, _ body: (inout RowState<Model>) -> RowEffect) -> RowEffect {
        let before = entry.state.image.encoded.count
        defer { bytes += entry.state.image.encoded.count - before }
        return body(&entry.state)
    }

    mutating func remove(_ key: RowKey) {
        guard let entry = entries.removeValue(forKey: key) else { return }
        bytes -= entry.state.image.encoded.count
    }

    /// Evicts rows that were not used lately, when there are too many bytes of them; with a limit of 0 all that may be
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
