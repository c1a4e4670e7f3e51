/// Changes of index entries that a restore holds back, to write them in the order of their table: in the order of the
/// rows each entry would change another page of an index that fits no cache.
struct HeldEntries: Sendable {
    /// One entry of a row, written or removed.
    struct Change: Sendable {
        let entry: IndexEntry
        /// Its id in the database.
        let row: Int64
        let isPresent: Bool
    }

    /// About 12 MiB.
    private static let maximum = 100_000

    private var changes: [Change] = []

    var count: Int { changes.count }

    /// Whether they are to be written before more are held.
    var isFull: Bool { changes.count >= Self.maximum }

    mutating func append(_ entry: IndexEntry, of row: Int64, isPresent: Bool) {
        changes.append(Change(entry: entry, row: row, isPresent: isPresent))
    }

    /// Forgets the changes after the first `count`, whose transaction has failed.
    mutating func truncate(to count: Int) { changes.removeLast(max(0, changes.count - count)) }

    /// The changes in the order of their table; those of one entry in the order in which they came.
    func ordered() -> [Change] {
        let order = changes.indices.sorted { one, other in
            let (left, right) = (changes[one], changes[other])
            if left.entry.name != right.entry.name { return left.entry.name < right.entry.name }
            if left.entry.value != right.entry.value { return left.entry.value < right.entry.value }
            return left.row == right.row ? one < other : left.row < right.row
        }
        return order.map { changes[$0] }
    }
}
