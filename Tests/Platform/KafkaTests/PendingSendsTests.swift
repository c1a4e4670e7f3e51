import TestSupport
import Testing

@testable import Kafka

@Suite struct PendingSendsTests {
    private func add(
        _ pending: inout PendingSends, deadline: UInt64?, generation: Int = 1, partition: Int32 = 0, at now: UInt64 = 0
    ) -> PendingSends.Ticket {
        pending.insert(
            to: place(partition), size: 10, generation: generation, at: now, deadline: deadline
        ) { _ in }
    }

    private func place(_ partition: Int32) -> SendAges.Destination {
        SendAges.Destination(topic: "t", partition: KafkaPartition(rawValue: partition))
    }

    @Test func `a partition is as old as its oldest pending send, even if others complete in between`() {
        var pending = PendingSends()
        #expect(pending.oldest(to: place(0)) == nil)
        let tickets = (1...4).map { add(&pending, deadline: nil, at: $0) }
        let other = add(&pending, deadline: nil, partition: 1, at: 2)
        #expect(pending.oldest(to: place(0)) == 1)
        #expect(pending.oldest(to: place(1)) == 2)
        _ = pending.remove(tickets[1])
        #expect(pending.oldest(to: place(0)) == 1)
        _ = pending.remove(tickets[0])
        #expect(pending.oldest(to: place(0)) == 3)
        _ = pending.remove(tickets[3])
        _ = pending.remove(other)
        #expect(pending.oldest(to: place(0)) == 3)
        #expect(pending.oldest(to: place(1)) == nil)
        let later = add(&pending, deadline: nil, at: 9)
        _ = pending.remove(tickets[2])
        #expect(pending.oldest(to: place(0)) == 9)
        _ = pending.remove(later)
        #expect(pending.oldest(to: place(0)) == nil)
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `the oldest send is correct after any additions and removals`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var pending = PendingSends()
        var open: [(ticket: PendingSends.Ticket, partition: Int32, at: UInt64)] = []
        for now in 0..<1000 as Range<UInt64> {
            if Bool.random(using: &random), let index = open.indices.randomElement(using: &random) {
                _ = pending.remove(open.remove(at: index).ticket)
            } else {
                let partition = Int32.random(in: 0..<3, using: &random)
                open.append((add(&pending, deadline: nil, partition: partition, at: now), partition, now))
            }
            for partition in 0..<3 as Range<Int32> {
                let expected = open.filter { $0.partition == partition }.map(\.at).min()
                #expect(pending.oldest(to: place(partition)) == expected)
            }
        }
    }

    @Test func `a ticket completes its send once`() {
        var pending = PendingSends()
        let ticket = add(&pending, deadline: nil)
        #expect(pending.count == 1)
        #expect(pending.bytes == 10)
        let (first, second) = (pending.remove(ticket), pending.remove(ticket))
        #expect(first?.waiter != nil)
        #expect(second == nil)
        #expect(pending.count == 0)
        #expect(pending.bytes == 0)
    }

    @Test func `a ticket from an earlier use of a slot does not match the later one`() {
        var pending = PendingSends()
        let old = add(&pending, deadline: nil)
        _ = pending.remove(old)
        let new = add(&pending, deadline: nil)
        #expect(old != new)
        let (ofOld, ofNew) = (pending.remove(old), pending.remove(new))
        #expect(ofOld == nil)
        #expect(ofNew != nil)
    }

    @Test(arguments: [0, 1, 2, UInt.max, 1 << 32, 0xFFFF_FFFF])
    func `a ticket that was never issued matches nothing`(raw: UInt) {
        var pending = PendingSends()
        let ofEmpty = pending.remove(PendingSends.Ticket(rawValue: raw))
        #expect(ofEmpty == nil)
    }

    @Test func `an expired deadline removes the completion but keeps the send`() {
        var pending = PendingSends()
        let ticket = add(&pending, deadline: 100)
        let expired = [99, 100, 200].map { pending.expire(at: $0).count }
        #expect(expired == [0, 1, 0])
        #expect(pending.count == 1)
        #expect(pending.earliestDeadline == nil)
        let entry = pending.remove(ticket)
        #expect(entry != nil)
        #expect(entry?.waiter == nil)
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `deadlines fire in order, regardless of additions and removals in between`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var pending = PendingSends()
        var open: [PendingSends.Ticket: UInt64] = [:]
        var now: UInt64 = 0
        for _ in 0..<2000 {
            switch Int.random(in: 0..<4, using: &random) {
            case 0, 1:
                let deadline = now + UInt64.random(in: 1...500, using: &random)
                open[add(&pending, deadline: deadline)] = deadline
            case 2:
                guard let ticket = open.keys.min(by: { $0.rawValue < $1.rawValue }) else { continue }
                open[ticket] = nil
                let entry = pending.remove(ticket)
                #expect(entry?.waiter != nil)
            default:
                now += UInt64.random(in: 0...50, using: &random)
                let due = open.filter { $0.value <= now }
                let expired = pending.expire(at: now)
                #expect(expired.count == due.count)
                for ticket in due.keys {
                    let entry = pending.remove(ticket)
                    #expect(entry != nil && entry?.waiter == nil)
                    open[ticket] = nil
                }
            }
            #expect(pending.earliestDeadline == open.values.min())
            #expect(pending.count == open.count)
        }
    }

    @Test func `all sends of one generation are removed together`() {
        var pending = PendingSends()
        let first = add(&pending, deadline: 5, generation: 1)
        let second = add(&pending, deadline: 6, generation: 2)
        #expect(pending.contains(generation: 1))
        let ended = pending.removeAll(ofGeneration: 1)
        #expect(ended.count == 1)
        #expect(!pending.contains(generation: 1))
        #expect(pending.earliestDeadline == 6)
        let (ofFirst, ofSecond) = (pending.remove(first), pending.remove(second))
        #expect(ofFirst == nil)
        #expect(ofSecond != nil)
    }
}
