internal import Dispatch

/// What a consumer keeps for an assigned partition. Used on the consumer's queue only.
final class PartitionState {
    struct Reader {
        let id: UInt64
        let maxRecords: Int
        let maxBytes: Int
        let continuation: CheckedContinuation<[KafkaRecord]?, Never>
        /// Ends the wait; nil when there is no limit.
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
    /// The offset that the next record should have.
    var expected: KafkaOffset {
        didSet { assigned.position = expected }
    }
    var stored: KafkaOffset?
    /// The stored offset that is known to be committed.
    var committed: KafkaOffset?
    /// Bytes of the records read since librdkafka was last told to fetch again.
    var bytesSinceRefill = 0
    var isReleased = false
    /// The end was met and not yet handed to the reader.
    var isAtEnd = false
    /// Why nothing more can be read, when that is not for a rebalance or a close. The partition stays active where what
    /// was read can be finished.
    var failure: KafkaError?
    /// A record of a new life of the log, to be handed out first.
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

    /// Nothing new starts: the waits of the reader and of pauses end.
    func drain() {
        guard assigned.phase == .active else { return }
        assigned.phase = .draining
        endWaits()
    }

    /// Nothing of it counts any more.
    func end() {
        assigned.phase = .ended
        endWaits()
        for waiter in endWaiters.values { waiter.resume() }
        endWaiters = [:]
    }

    /// The reader gets nothing more.
    func endReading() { reader.take()?.resume(returning: nil) }

    private func endWaits() {
        endReading()
        for pause in pauses.values { pause.resume(returning: false) }
        pauses = [:]
        for waiter in drainWaiters.values { waiter.resume() }
        drainWaiters = [:]
    }
}
