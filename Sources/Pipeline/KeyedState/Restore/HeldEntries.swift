internal import Glibc

/// Index entry changes that a restore holds back so that it can write them in index order. In row order, each entry
/// would change a different page of an index that is larger than any cache. When there are too many changes in memory,
/// they are sorted and moved to a file as a run; all runs are merged when the entries are written.
struct HeldEntries {
    private struct Change {
        let prefix: (UInt64, UInt64)
        let row: Int64
        /// Position of the value in the buffer.
        let start: Int
        let length: Int
        let name: Int32
        let number: Int32
        let isPresent: Bool

        func entry(_ values: UnsafeRawBufferPointer) -> HeldEntry {
            HeldEntry(
                name: Int(name), value: UnsafeRawBufferPointer(rebasing: values[start..<start + length]),
                prefix: prefix, row: row, isPresent: isPresent)
        }
    }

    /// Maximum number of changes in memory, about 10 MiB.
    private static let maximum = 100_000
    /// Maximum number of distinct names. A model has only a few, so they are compared one by one.
    private static let maximumNames = 64
    private static let maximumBytes = 8 << 20

    private let path: String
    private(set) var names: [[UInt8]] = []
    private var values: [UInt8] = []
    private var changes: [Change] = []
    private var runs: EntryRuns?

    /// - Parameter path: the path of the file for sorted runs.
    init(path: String) { self.path = path }

    /// Number of changes in memory.
    var count: Int { changes.count }

    var isEmpty: Bool { changes.isEmpty && runs == nil }

    /// Whether the changes in memory must be moved before more can be held.
    var isFull: Bool { changes.count >= Self.maximum || values.count >= Self.maximumBytes }

    /// Whether the changes must be written because there are too many names. Only a hostile header can cause this.
    var hasManyNames: Bool { names.count >= Self.maximumNames }

    mutating func append(_ entry: IndexEntry, of row: Int64, isPresent: Bool) {
        var (name, value) = (entry.name, entry.value)
        name.withUTF8 { name in
            value.withUTF8 { value in
                append(UnsafeRawBufferPointer(name), UnsafeRawBufferPointer(value), of: row, isPresent: isPresent)
            }
        }
    }

    /// Holds back a change to an entry; name and value are UTF-8.
    mutating func append(
        _ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, of row: Int64, isPresent: Bool
    ) {
        changes.append(
            Change(
                prefix: HeldEntry.prefix(of: value), row: row, start: values.count, length: value.count,
                name: Int32(truncatingIfNeeded: index(of: name)), number: Int32(truncatingIfNeeded: changes.count),
                isPresent: isPresent))
        values.append(contentsOf: value)
    }

    /// Drops all changes in memory after the first `count`, because their transaction failed.
    mutating func truncate(to count: Int) {
        guard count < changes.count else { return }
        values.removeLast(values.count - changes[count].start)
        changes.removeLast(changes.count - count)
    }

    /// Moves the changes in memory to a sorted run.
    ///
    /// - Throws: a ``StateError`` if the file cannot be written; the changes then stay in memory.
    mutating func moveToRun() throws(StateError) {
        guard !changes.isEmpty else { return }
        let runs: EntryRuns
        if let known = self.runs { runs = known } else { runs = try EntryRuns(path: path) }
        try runs.add { (run) throws(StateError) in
            var failure: StateError?
            forEach { entry in
                guard failure == nil else { return }
                do throws(StateError) { try run.append(entry) } catch { failure = error }
            }
            if let failure { throw failure }
        }
        self.runs = runs
        changes.removeAll(keepingCapacity: true)
        values.removeAll(keepingCapacity: true)
    }

    /// If some changes have already been moved to runs, moves the rest there and returns all of them in index order.
    /// Returns nil if all changes are still in memory.
    mutating func merged() throws(StateError) -> EntryMerge? {
        guard runs != nil else { return nil }
        try moveToRun()
        return try runs.map { (runs) throws(StateError) in try EntryMerge(runs, ranks: ranks) }
    }

    /// Calls `body` with each change in memory, in index order; changes to the same entry stay in their original order.
    mutating func forEach(_ body: (HeldEntry) throws -> Void) rethrows {
        let ranks = ranks
        try values.withUnsafeBytes { values in
            changes.sort { one, other in
                // This decides most comparisons and costs less than a full comparison.
                if one.name == other.name, one.prefix.0 != other.prefix.0 { return one.prefix.0 < other.prefix.0 }
                let order = HeldEntry.compare(one.entry(values), other.entry(values), ranks)
                return order == 0 ? one.number < other.number : order < 0
            }
            for change in changes { try body(change.entry(values)) }
        }
    }

    /// The rank of each name in byte order.
    private var ranks: [Int] {
        var ranks = [Int](repeating: 0, count: names.count)
        let sorted = names.indices.sorted { names[$0].lexicographicallyPrecedes(names[$1]) }
        for (rank, name) in sorted.enumerated() { ranks[name] = rank }
        return ranks
    }

    private mutating func index(of name: UnsafeRawBufferPointer) -> Int {
        // Only the first names are searched. A further name, which only a hostile header has, gets a new index even if
        // it was seen before.
        let known = names.prefix(Self.maximumNames).firstIndex { known in
            known.count == name.count
                && known.withUnsafeBytes { known in
                    guard let left = known.baseAddress, let right = name.baseAddress else { return true }
                    return memcmp(left, right, name.count) == 0
                }
        }
        if let known { return known }
        names.append(Array(name))
        return names.count - 1
    }
}
