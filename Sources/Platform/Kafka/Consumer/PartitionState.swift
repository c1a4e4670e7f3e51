/// What a consumer keeps for an assigned partition. Used on the consumer's queue only.
final class PartitionState {
    struct Reader {
        let id: UInt64
        let maxRecords: Int
        let maxBytes: Int
        let continuation: CheckedContinuation<[KafkaRecord]?, Never>
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
    var isReleased = false
    /// The end was met and not yet handed to the reader.
    var isAtEnd = false
    /// Why nothing more can be read, when that is not for a rebalance or a close.
    var failure: KafkaError?
    /// A record of a new life of the log, to be handed out first.
    var held: KafkaRecord?
    var reader: Reader?
    var pauses: [UInt64: CheckedContinuation<Bool, Never>] = [:]
    var endWaiters: [UInt64: CheckedContinuation<Void, Never>] = [:]

    init(_ assigned: KafkaAssignedPartition, queue: QueuePointer) {
        self.assigned = assigned
        self.queue = queue
        expected = assigned.startOffset
    }

    /// Nothing new starts: the reader and those who pause are sent away.
    func drain() {
        guard assigned.phase == .active else { return }
        assigned.phase = .draining
        sendAway()
    }

    /// Nothing of it counts any more.
    func end() {
        assigned.phase = .ended
        sendAway()
        for waiter in endWaiters.values { waiter.resume() }
        endWaiters = [:]
    }

    private func sendAway() {
        reader.take()?.continuation.resume(returning: nil)
        for pause in pauses.values { pause.resume(returning: false) }
        pauses = [:]
    }
}
