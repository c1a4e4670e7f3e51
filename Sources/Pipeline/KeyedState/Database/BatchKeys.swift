/// Finds, by their hashes, the keys that occur once in a batch of records.
struct BatchKeys {
    private struct Slot {
        var hash: UInt64 = 0
        var count = 0
    }

    /// Number of slots searched for a hash. Hashes without a slot count as repeated, so that keys with deliberately
    /// colliding hashes cannot slow down the search.
    private static let reach = 16

    private var slots: [Slot]
    private let mask: Int

    /// - Parameter count: the number of records in the batch.
    init(expecting count: Int) {
        var size = 64
        while size < 2 * count, size < 1 << 20 { size *= 2 }
        slots = [Slot](repeating: Slot(), count: size)
        mask = size - 1
    }

    /// Counts a record whose key has this hash.
    mutating func insert(_ hash: UInt64) {
        guard let index = slot(of: hash) else { return }
        slots[index].hash = hash
        slots[index].count += 1
    }

    /// Returns whether only one record has a key with this hash. Keys with the same hash count as one key.
    func isSingle(_ hash: UInt64) -> Bool { slot(of: hash).map { slots[$0].count == 1 } ?? false }

    /// Returns the slot for a hash, or the first free one; nil if neither is within reach.
    private func slot(of hash: UInt64) -> Int? {
        var index = Int(truncatingIfNeeded: hash ^ hash >> 32) & mask
        for _ in 0..<Self.reach {
            if slots[index].count == 0 || slots[index].hash == hash { return index }
            index = (index + 1) & mask
        }
        return nil
    }
}
