internal import Dispatch

/// The consumer's state of an assigned partition. Used only on the consumer's queue.
final class PartitionState {
    struct Reader {
        let id: UInt64
        let maxRecords: Int
        let maxBytes: Int
        let continuation: CheckedContinuation<[KafkaRecord]?, Never>
        /// Timer that ends the wait; nil without a limit.
        var timer: (any DispatchSourceTimer)?

        func resume(returning records: [KafkaRecord]?) {
            timer?.cancel()
            continuation.resume(returning: records)
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
    /// librdkafka's queue of the partition; owned by the consumer, which releases it when the partition is revoked.
    let queue: QueuePointer
    /// The offset expected for the next record.
    var expected: KafkaOffset {
        didSet { assigned.position = expected }
    }
    var stored: KafkaOffset?
    /// The stored offset that is known to be committed.
    var committed: KafkaOffset?
    /// Bytes of records read since librdkafka was last made to fetch again.
    var bytesSinceRefill = 0
    var isReleased = false
    /// Whether the end was reached and not yet reported to the reader.
    var isAtEnd = false
    /// The error that stopped reading, other than a rebalance or close. The partition stays active if the records
    /// already read can be finished.
    var failure: KafkaError?
    /// The first record of a recreated log, delivered before others.
    var held: KafkaRecord?
    var reader: Reader?
    var pauses: [UInt64: Pause] = [:]
    var drainWaiters: [UInt64: CheckedContinuation<Void, Never>] = [:]
    var endWaiters: [UInt64: CheckedContinuation<Void, Never>] = [:]

    init(_ assigned: KafkaAssignedPartition, queue: QueuePointer) {
        self.assigned = assigned
        self.queue = queue
        expected = assigned.startOffset
    }

    /// Stops new work: the waits of the reader and of pauses end.
    func drain() {
        guard assigned.phase == .active else { return }
        assigned.phase = .draining
        endWaits()
    }

    /// Ends the partition: later calls have no effect.
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
