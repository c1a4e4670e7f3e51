/// Index entry changes that a restore holds back, to write them in the order of their table: in the order of the rows,
/// each entry would change a different page of an index larger than any cache.
struct HeldEntries: Sendable {
    /// One index entry that is written or removed.
    struct Change: Sendable {
        let entry: IndexEntry
        /// Id of the row in the database.
        let row: Int64
        let isPresent: Bool
    }

    /// Corresponds to about 12 MiB.
    private static let maximum = 100_000

    private var changes: [Change] = []

    var count: Int { changes.count }

    /// Whether the changes must be written before more are held.
    var isFull: Bool { changes.count >= Self.maximum }

    mutating func append(_ entry: IndexEntry, of row: Int64, isPresent: Bool) {
        changes.append(Change(entry: entry, row: row, isPresent: isPresent))
    }

    /// Drops the changes after the first `count`, whose transaction failed.
    mutating func truncate(to count: Int) { changes.removeLast(max(0, changes.count - count)) }

    /// Returns the changes in the order of their table; changes of one entry stay in their original order.
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
