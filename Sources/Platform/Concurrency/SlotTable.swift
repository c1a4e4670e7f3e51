/// Values in numbered slots that are used again. Each use of a slot has another generation, so that a key kept from an
/// earlier use finds nothing.
@usableFromInline
package struct SlotTable<Value> {
    /// Names one use of one slot.
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

    // Inlinable with what it uses: on the path of each request of an HTTP server. The type has to be usable from inlined
    // code itself, or its members are not inlined.
    @usableFromInline var values: [Value?] = []
    @usableFromInline var generations: [UInt32] = []
    @usableFromInline var free: [Int] = []
    /// Slots in use.
    @inlinable
    package var count: Int { values.count - free.count }

    @inlinable
    package init() {}

    /// Puts a value into a free slot. `make` is given the key it will have.
    @inlinable
    package mutating func insert(_ make: (Key) -> Value) -> Key {
        let key = nextKey()
        values[key.slot] = make(key)
        return key
    }

    /// As ``insert(_:)``, and returns the value.
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

    /// The value under a key; nil when the slot is free or is used again.
    @inlinable
    package subscript(key: Key) -> Value? {
        guard values.indices.contains(key.slot), generations[key.slot] == key.generation else { return nil }
        return values[key.slot]
    }

    /// Takes the value out and frees its slot; nil, and nothing changes, when the key fits no value.
    @inlinable
    package mutating func remove(_ key: Key) -> Value? {
        guard values.indices.contains(key.slot), generations[key.slot] == key.generation,
            let value = values[key.slot].take()
        else { return nil }
        // The greatest generation is never used: callers may use keys with it for something else.
        generations[key.slot] = (generations[key.slot] + 1) % UInt32.max
        free.append(key.slot)
        return value
    }

    /// The values in use, in the order of their slots.
    @inlinable
    package var inUse: some Sequence<Value> { values.lazy.compactMap { $0 } }
}

extension SlotTable: Sendable where Value: Sendable {}
