internal import Dispatch

/// The state of an assigned partition. Used only on the consumer's queue.
final class PartitionState {
    struct Reader {
        let id: UInt64
        let maxRecords: Int
        let maxBytes: Int
        /// Whether the reader receives packed records.
        var isPacked = false
        /// Passes the records to the reader; nil means that reading has ended.
        let complete: (ReadBatch?) -> Void
        /// The timer that ends the wait, or nil if the wait has no limit.
        var timer: (any DispatchSourceTimer)?

        func resume(returning batch: ReadBatch?) {
            timer?.cancel()
            complete(batch)
        }
    }

    struct Pause {
        let continuation: CheckedContinuation<Bool, Never>
        let timer: any DispatchSourceTimer

        func resume(returning isOver: Bool) {
            timer.cancel()
            continuation.resume(returning: isOver)
        }
    }

    let assigned: KafkaAssignedPartition
    /// librdkafka's queue for the partition. The consumer owns it and releases it on revocation.
    let queue: QueuePointer
    /// The expected offset of the next record.
    var expected: KafkaOffset {
        didSet { assigned.position = expected }
    }
    var stored: KafkaOffset?
    /// The stored offset that has been committed, if known.
    var committed: KafkaOffset?
    var refill = QueueRefill()
    var isReleased = false
    /// Whether the end has been reached but not yet reported to the reader.
    var isAtEnd = false
    /// The error that stopped reading; nil if a rebalance or close stopped it. The partition stays active if the
    /// records already read can still be processed.
    var failure: KafkaError?
    /// The first record of a recreated log. It ends this assignment and is delivered by the next one.
    var held: KafkaRecord?
    /// The first record of this assignment if the previous one read it.
    var first: KafkaRecord?
    var reader: Reader?
    var pauses: [UInt64: Pause] = [:]
    var drainWaiters: [UInt64: CheckedContinuation<Void, Never>] = [:]
    var endWaiters: [UInt64: CheckedContinuation<Void, Never>] = [:]

    init(_ assigned: KafkaAssignedPartition, queue: QueuePointer) {
        self.assigned = assigned
        self.queue = queue
        expected = assigned.startOffset
    }

    /// Stops new work and ends pending reads and pauses.
    func drain() {
        guard assigned.phase == .active else { return }
        assigned.phase = .draining
        endWaits()
    }

    /// Ends the partition. Later calls have no effect.
    func end() {
        assigned.phase = .ended
        endWaits()
        for waiter in endWaiters.values { waiter.resume() }
        endWaiters = [:]
    }

    /// Ends the reader's wait without records.
    func endReading() { reader.take()?.resume(returning: nil) }

    private func endWaits() {
        endReading()
        for pause in pauses.values { pause.resume(returning: false) }
        pauses = [:]
        for waiter in drainWaiters.values { waiter.resume() }
        drainWaiters = [:]
    }
}
