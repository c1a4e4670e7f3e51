internal import SQLite

/// Writes index entries, many per statement: in index order, the statement finds most positions without a search.
struct EntryWriter {
    /// Number of entries per statement.
    private static let width = 64

    private let insert: Statement
    private let insertMany: Statement
    private let delete: Statement
    /// The concatenated names of all entries.
    private var names: [UInt8] = []
    private var nameRanges: [Range<Int>] = []
    /// The concatenated values of the entries that have not been written yet.
    private var values: [UInt8] = []
    private var pending: [(name: Int, value: Range<Int>, row: Int64)] = []

    /// The statement that writes many entries.
    static var insertMany: String {
        "INSERT OR IGNORE INTO entries (name, value, row) VALUES "
            + [String](repeating: "(?, ?, ?)", count: width).joined(separator: ", ")
    }

    /// - Parameter names: the names that entries refer to by index.
    init(_ guarded: StateStore.Guarded, names: [[UInt8]]) {
        (insert, insertMany, delete) = (guarded.insertEntry, guarded.insertEntries, guarded.deleteEntry)
        for name in names {
            let start = self.names.count
            self.names += name
            nameRanges.append(start..<self.names.count)
        }
    }

    /// Writes or removes an entry, after the earlier ones.
    mutating func apply(_ entry: HeldEntry) throws {
        if !entry.isPresent { try flush() }
        let start = values.count
        values.append(contentsOf: entry.value)
        pending.append((entry.name, start..<values.count, entry.row))
        if !entry.isPresent { try flush(with: delete) } else if pending.count == Self.width { try flush() }
    }

    /// Writes the remaining entries.
    mutating func flush() throws { try flush(with: insert) }

    /// - Parameter statement: the statement for a single entry.
    private mutating func flush(with statement: Statement) throws {
        defer {
            pending.removeAll(keepingCapacity: true)
            values.removeAll(keepingCapacity: true)
        }
        try names.withUnsafeBytes { names in
            try values.withUnsafeBytes { values in
                var bound: [BorrowedValue] = []
                bound.reserveCapacity(3 * pending.count)
                for entry in pending {
                    bound.append(.text(UnsafeRawBufferPointer(rebasing: names[nameRanges[entry.name]])))
                    bound.append(.text(UnsafeRawBufferPointer(rebasing: values[entry.value])))
                    bound.append(.integer(entry.row))
                }
                if pending.count == Self.width { return try insertMany.run(borrowing: bound) }
                for first in stride(from: 0, to: bound.count, by: 3) {
                    try statement.run(borrowing: Array(bound[first..<first + 3]))
                }
            }
        }
    }
}
