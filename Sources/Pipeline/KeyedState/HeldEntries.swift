internal import Glibc

/// Index entry changes that a restore holds back so that it can write them in index order. In row order, each entry
/// would change a different page of an index that is larger than any cache. Names and values share one buffer.
struct HeldEntries: Sendable {
    /// An entry to write or remove.
    private struct Change {
        /// Index of the name.
        let name: Int
        /// Position of the value in the buffer.
        let start: Int
        let length: Int
        /// The first 16 bytes of the value, enough to compare most values without reading them.
        let prefix: (UInt64, UInt64)
        /// Id of the row in the database.
        let row: Int64
        let number: Int
        let isPresent: Bool
    }

    /// Maximum number of held changes, about 10 MiB.
    private static let maximum = 100_000
    /// Maximum number of distinct names. A model has only a few, so they are compared one by one.
    private static let maximumNames = 64
    private static let maximumBytes = 8 << 20

    private var names: [[UInt8]] = []
    private var values: [UInt8] = []
    private var changes: [Change] = []

    var count: Int { changes.count }

    /// Whether the held changes must be written before more can be held.
    var isFull: Bool {
        changes.count >= Self.maximum || names.count >= Self.maximumNames || values.count >= Self.maximumBytes
    }

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
        let prefix = (Self.word(value, at: 0), Self.word(value, at: 8))
        changes.append(
            Change(
                name: index(of: name), start: values.count, length: value.count, prefix: prefix, row: row,
                number: changes.count, isPresent: isPresent))
        values.append(contentsOf: value)
    }

    /// Drops all changes after the first `count`, because their transaction failed.
    mutating func truncate(to count: Int) {
        guard count < changes.count else { return }
        values.removeLast(values.count - changes[count].start)
        changes.removeLast(changes.count - count)
    }

    /// Calls `body` with each change in index order; changes to the same entry stay in their original order.
    func forEach(
        _ body: (
            _ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, _ row: Int64, _ isPresent: Bool
        ) throws -> Void
    ) rethrows {
        try values.withUnsafeBytes { values in
            func value(_ change: Change) -> UnsafeRawBufferPointer {
                UnsafeRawBufferPointer(rebasing: values[change.start..<change.start + change.length])
            }
            let ordered = changes.sorted { one, other in
                if one.name != other.name { return one.name < other.name }
                if one.prefix.0 != other.prefix.0 { return one.prefix.0 < other.prefix.0 }
                if one.prefix.1 != other.prefix.1 { return one.prefix.1 < other.prefix.1 }
                let order = one.length > 16 && other.length > 16 ? Self.compare(value(one), value(other)) : 0
                if order != 0 { return order < 0 }
                if one.length != other.length { return one.length < other.length }
                return one.row == other.row ? one.number < other.number : one.row < other.row
            }
            for change in ordered {
                try names[change.name].withUnsafeBytes {
                    try body($0, value(change), change.row, change.isPresent)
                }
            }
        }
    }

    private static func compare(_ one: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer) -> Int32 {
        guard let left = one.baseAddress, let right = other.baseAddress else { return 0 }
        return memcmp(left, right, min(one.count, other.count))
    }

    /// Returns eight bytes of a value as a number that sorts like the bytes; missing bytes count as 0.
    private static func word(_ value: UnsafeRawBufferPointer, at offset: Int) -> UInt64 {
        guard offset + 8 > value.count else {
            return UInt64(bigEndian: value.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        }
        var word: UInt64 = 0
        for index in offset..<offset + 8 { word = word << 8 | (index < value.count ? UInt64(value[index]) : 0) }
        return word
    }

    private mutating func index(of name: UnsafeRawBufferPointer) -> Int {
        // Only the first names are searched. A further name, which only a hostile header has, gets a new index even if
        // it was seen before.
        let known = names.prefix(Self.maximumNames).firstIndex { known in
            known.count == name.count && known.withUnsafeBytes { Self.compare($0, name) == 0 }
        }
        if let known { return known }
        names.append(Array(name))
        return names.count - 1
    }
}
