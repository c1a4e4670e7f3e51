import Primitives
import Testing

@Suite("Queues, slots and buckets") struct CollectionTests {
    @Test func `a queue returns its elements in order after any additions and removals`() {
        var queue = FIFO<Int>()
        var next = 0
        var expected = 0
        for round in 0..<200 {
            for _ in 0..<(round % 17) {
                queue.append(next)
                next += 1
            }
            for _ in 0..<(round % 13) where !queue.isEmpty {
                #expect(queue.first == expected)
                #expect(queue.popFirst() == expected)
                expected += 1
            }
            #expect(queue.count == next - expected)
        }
        while let element = queue.popFirst() {
            #expect(element == expected)
            expected += 1
        }
        #expect(expected == next)
        #expect(queue.isEmpty && queue.first == nil)
    }

    @Test func `a removed element is not kept alive`() {
        final class Object {}
        var queue = FIFO<Object>()
        weak var first: Object?
        do {
            let object = Object()
            first = object
            queue.append(object)
            queue.append(Object())
        }
        #expect(first != nil)
        _ = queue.popFirst()
        #expect(first == nil)
    }

    @Test func `a key finds its value until removal, and never the value of a later use of the slot`() {
        var table = SlotTable<String>()
        let first = table.insert { _ in "first" }
        let second = table.insert { "second in \($0.slot)" }
        #expect(table[first] == "first")
        #expect(table[second] == "second in 1")
        #expect(table.remove(first) == "first")
        #expect(table.remove(first) == nil)
        let third = table.insert { _ in "third" }
        #expect(third.slot == first.slot)
        #expect(table[first] == nil)
        #expect(table.remove(first) == nil)
        #expect(table[third] == "third")
        #expect(table.count == 2)
        #expect(Array(table.inUse) == ["third", "second in 1"])
        #expect(table[SlotTable.Key(slot: 7, generation: 0)] == nil)
        #expect(table[SlotTable.Key(slot: -1, generation: 0)] == nil)
    }

    @Test func `a bucket grants its capacity at once, then only refilled tokens`() {
        var bucket = TokenBucket(capacity: 4, perSecond: 2, now: 1_000)
        for _ in 0..<4 { #expect(bucket.take(now: 1_000) == true) }
        #expect(bucket.take(now: 1_000) == false)
        #expect(bucket.take(now: 400_000_000) == false)
        #expect(bucket.take(now: 500_002_000) == true)
        #expect(bucket.take(3, now: 1_000_003_000) == false)
        bucket.putBack(2)
        #expect(bucket.take(3, now: 1_000_003_000) == true)
        #expect(bucket.available(now: 1_000_000_000_000) == 4)
        // A clock that is set back neither adds nor removes tokens.
        #expect(bucket.available(now: 5) == 4)
    }

    @Test func `a bucket without capacity grants nothing`() {
        var bucket = TokenBucket(capacity: -1, perSecond: -1, now: 0)
        #expect(bucket.take(now: .max) == false)
        bucket.putBack(1)
        #expect(bucket.take(now: .max) == false)
    }
}
