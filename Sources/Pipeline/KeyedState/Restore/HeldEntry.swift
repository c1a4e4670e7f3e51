internal import Glibc

/// A change that a restore holds back: an index entry to write or remove. The value is borrowed, and valid only as long
/// as the memory that it comes from.
struct HeldEntry {
    /// Index of the name.
    let name: Int
    let value: UnsafeRawBufferPointer
    /// The first 16 bytes of the value, enough to compare most values without reading them.
    let prefix: (UInt64, UInt64)
    /// Id of the row in the database.
    let row: Int64
    let isPresent: Bool

    init(name: Int, value: UnsafeRawBufferPointer, prefix: (UInt64, UInt64), row: Int64, isPresent: Bool) {
        self.name = name
        self.value = value
        self.prefix = prefix
        self.row = row
        self.isPresent = isPresent
    }

    init(name: Int, value: UnsafeRawBufferPointer, row: Int64, isPresent: Bool) {
        self.init(name: name, value: value, prefix: Self.prefix(of: value), row: row, isPresent: isPresent)
    }

    /// Compares two entries in table order.
    ///
    /// - Parameter ranks: the rank of each name in byte order.
    /// - Returns: a negative number if `one` comes first, 0 if both are the same entry, otherwise a positive number.
    static func compare(_ one: HeldEntry, _ other: HeldEntry, _ ranks: [Int]) -> Int {
        if one.name != other.name { return ranks[one.name] - ranks[other.name] }
        if one.prefix.0 != other.prefix.0 { return one.prefix.0 < other.prefix.0 ? -1 : 1 }
        if one.prefix.1 != other.prefix.1 { return one.prefix.1 < other.prefix.1 ? -1 : 1 }
        if one.value.count > 16, other.value.count > 16,
            let left = one.value.baseAddress, let right = other.value.baseAddress
        {
            let order = memcmp(left, right, min(one.value.count, other.value.count))
            if order != 0 { return Int(order) }
        }
        if one.value.count != other.value.count { return one.value.count < other.value.count ? -1 : 1 }
        return one.row == other.row ? 0 : one.row < other.row ? -1 : 1
    }

    /// Returns the first 16 bytes of a value as numbers that sort like the bytes; missing bytes count as 0.
    static func prefix(of value: UnsafeRawBufferPointer) -> (UInt64, UInt64) {
        (word(value, at: 0), word(value, at: 8))
    }

    private static func word(_ value: UnsafeRawBufferPointer, at offset: Int) -> UInt64 {
        guard offset + 8 > value.count else {
            return UInt64(bigEndian: value.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        }
        var word: UInt64 = 0
        for index in offset..<offset + 8 { word = word << 8 | (index < value.count ? UInt64(value[index]) : 0) }
        return word
    }
}
