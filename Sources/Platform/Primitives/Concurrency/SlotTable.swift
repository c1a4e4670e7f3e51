/// Values in numbered, reusable slots. Each use of a slot has a new generation, so a key from an earlier use does not
/// match.
@usableFromInline
package struct SlotTable<Value> {
    /// Identifies one use of a slot.
    @usableFromInline
    package struct Key: Hashable, Sendable {
        @usableFromInline package let slot: Int
        @usableFromInline package let generation: UInt32

        @inlinable
        package init(slot: Int, generation: UInt32) {
            self.slot = slot
            self.generation = generation
        }
    }

    // The HTTP server uses a table for every request, so the functions are inlinable. The properties and the type must
    // therefore be usable from inlinable code.
    @usableFromInline var values: [Value?] = []
    @usableFromInline var generations: [UInt32] = []
    @usableFromInline var free: [Int] = []
    /// The number of slots in use.
    @inlinable
    package var count: Int { values.count - free.count }

    @inlinable
    package init() {}

    /// Inserts the value returned by `make` into a free slot. `make` receives the key.
    @inlinable
    package mutating func insert(_ make: (Key) -> Value) -> Key {
        let key = nextKey()
        values[key.slot] = make(key)
        return key
    }

    /// Inserts a value as ``insert(_:)`` does, and returns the value.
    @inlinable
    package mutating func add(_ make: (Key) -> Value) -> Value {
        let key = nextKey()
        let value = make(key)
        values[key.slot] = value
        return value
    }

    @inlinable
    mutating func nextKey() -> Key {
        let slot = free.popLast() ?? values.count
        if slot == values.count {
            values.append(nil)
            generations.append(0)
        }
        return Key(slot: slot, generation: generations[slot])
    }

    /// The value for a key, or nil if the slot is free or has been reused.
    @inlinable
    package subscript(key: Key) -> Value? {
        guard values.indices.contains(key.slot), generations[key.slot] == key.generation else { return nil }
        return values[key.slot]
    }

    /// Removes the value and frees its slot. Returns nil without any change if the key does not match.
    @inlinable
    package mutating func remove(_ key: Key) -> Value? {
        guard values.indices.contains(key.slot), generations[key.slot] == key.generation,
            let value = values[key.slot].take()
        else { return nil }
        // The highest generation is never assigned here, so callers can use keys with that generation for their own
        // purposes.
        generations[key.slot] = (generations[key.slot] + 1) % UInt32.max
        free.append(key.slot)
        return value
    }

    /// The values in use, in slot order.
    @inlinable
    package var inUse: some Sequence<Value> { values.lazy.compactMap { $0 } }
}

extension SlotTable: Sendable where Value: Sendable {}
