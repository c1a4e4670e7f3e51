/// The callback for the outcome of a send, called exactly once.
typealias SendCompletion = @Sendable (Result<KafkaDelivery, KafkaError>) -> Void

/// The sends without a delivery report, and their callers' deadlines.
///
/// A ticket identifies a send and passes through librdkafka as the record's opaque pointer, so no object is shared with
/// C, and a report with an outdated ticket is recognized. When a caller stops waiting, the send stays in this
/// collection and is counted until its report arrives, because librdkafka still stores the record.
struct PendingSends {
    /// Identifies one send; never 0.
    struct Ticket: Hashable {
        let rawValue: UInt

        init(rawValue: UInt) { self.rawValue = rawValue }

        fileprivate init(index: Int, sequence: UInt32) { rawValue = UInt(sequence) << 32 | UInt(index + 1) }

        fileprivate var index: Int { Int(rawValue & 0xFFFF_FFFF) - 1 }
        fileprivate var sequence: UInt32 { UInt32(truncatingIfNeeded: rawValue >> 32) }
    }

    /// The callback for a send, wrapped in a type because storing a bare closure in an optional or an array allocates
    /// memory each time.
    struct Waiter {
        let complete: SendCompletion
    }

    /// The data needed when a send's report arrives.
    struct Entry {
        /// The caller's callback; nil after the caller has stopped waiting.
        let waiter: Waiter?
        let topic: KafkaTopic
        let generation: Int
    }

    private struct Slot {
        /// Incremented with each use, so that an old ticket does not match.
        var sequence: UInt32 = 0
        var isUsed = false
        var waiter: Waiter?
        var topic = KafkaTopic(rawValue: "")
        var size = 0
        var generation = 0
        var deadline: UInt64 = 0
        /// The index of the slot in `heap`, or -1 if there is no deadline or it has passed.
        var heapIndex = -1
    }

    private var slots: [Slot] = []
    private var ages = SendAges()
    private var freeSlots: [Int] = []
    /// A binary heap of slot indices with the earliest deadline first.
    private var heap: [Int] = []

    /// The number of sends without a delivery report.
    private(set) var count = 0
    /// The size of these sends in bytes.
    private(set) var bytes = 0

    /// The earliest deadline, in nanoseconds on the caller's clock.
    var earliestDeadline: UInt64? { heap.first.map { slots[$0].deadline } }

    /// Returns the start time of the oldest unreported send to this destination, or nil if there is none.
    func oldest(to destination: SendAges.Destination) -> UInt64? { ages.oldest(to: destination) }

    /// Adds a send. The caller must keep the number of sends below 2³² − 1.
    mutating func insert(
        to destination: SendAges.Destination, size: Int, generation: Int, at now: UInt64, deadline: UInt64?,
        completion: @escaping SendCompletion
    ) -> Ticket {
        let index: Int
        if let free = freeSlots.popLast() {
            index = free
        } else {
            index = slots.count
            slots.append(Slot())
        }
        slots[index].sequence &+= 1
        slots[index].isUsed = true
        slots[index].waiter = Waiter(complete: completion)
        slots[index].topic = destination.topic
        slots[index].size = size
        slots[index].generation = generation
        ages.insert(index, to: destination, at: now)
        count += 1
        bytes += size
        if let deadline {
            slots[index].deadline = deadline
            slots[index].heapIndex = heap.count
            heap.append(index)
            siftUp(heap.count - 1)
        }
        return Ticket(index: index, sequence: slots[index].sequence)
    }

    /// Ends a send because its report arrived or librdkafka rejected it. Returns nil if the ticket is outdated.
    mutating func remove(_ ticket: Ticket) -> Entry? {
        let index = ticket.index
        guard slots.indices.contains(index), slots[index].isUsed, slots[index].sequence == ticket.sequence else {
            return nil
        }
        return free(index)
    }

    /// Removes and returns the callbacks of sends with an expired deadline. The sends stay in the collection.
    mutating func expire(at now: UInt64) -> [Waiter] {
        var expired: [Waiter] = []
        while let first = heap.first, slots[first].deadline <= now {
            removeFromHeap(0)
            if let waiter = slots[first].waiter { expired.append(waiter) }
            slots[first].waiter = nil
        }
        return expired
    }

    /// Ends all sends of one generation (or of all generations if nil), because their reports will not arrive.
    mutating func removeAll(ofGeneration generation: Int? = nil) -> [Waiter] {
        var waiters: [Waiter] = []
        for index in slots.indices where slots[index].isUsed {
            if let generation, slots[index].generation != generation { continue }
            if let waiter = free(index).waiter { waiters.append(waiter) }
        }
        return waiters
    }

    /// Returns whether any send of this generation is still awaiting its delivery report.
    func contains(generation: Int) -> Bool { slots.contains { $0.isUsed && $0.generation == generation } }

    private mutating func free(_ index: Int) -> Entry {
        let entry = Entry(
            waiter: slots[index].waiter, topic: slots[index].topic, generation: slots[index].generation)
        if slots[index].heapIndex >= 0 { removeFromHeap(slots[index].heapIndex) }
        slots[index].isUsed = false
        slots[index].waiter = nil
        ages.remove(index)
        count -= 1
        bytes -= slots[index].size
        freeSlots.append(index)
        return entry
    }

    // MARK: Heap

    private mutating func removeFromHeap(_ position: Int) {
        slots[heap[position]].heapIndex = -1
        let last = heap.removeLast()
        guard position < heap.count else { return }
        heap[position] = last
        slots[last].heapIndex = position
        siftUp(position)
        siftDown(slots[last].heapIndex)
    }

    private mutating func siftUp(_ start: Int) {
        var position = start
        while position > 0 {
            let parent = (position - 1) / 2
            guard slots[heap[position]].deadline < slots[heap[parent]].deadline else { return }
            swap(position, parent)
            position = parent
        }
    }

    private mutating func siftDown(_ start: Int) {
        var position = start
        while true {
            var smallest = position
            for child in (2 * position + 1)...(2 * position + 2) where child < heap.count {
                if slots[heap[child]].deadline < slots[heap[smallest]].deadline { smallest = child }
            }
            if smallest == position { return }
            swap(position, smallest)
            position = smallest
        }
    }

    private mutating func swap(_ first: Int, _ second: Int) {
        heap.swapAt(first, second)
        slots[heap[first]].heapIndex = first
        slots[heap[second]].heapIndex = second
    }
}
