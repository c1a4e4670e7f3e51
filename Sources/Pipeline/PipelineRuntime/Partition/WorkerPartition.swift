internal import Kafka

/// The partition of a ``PartitionWorker``: either assigned to the consumer or simulated by a test.
protocol WorkerPartition: Sendable {
    var topicPartition: KafkaTopicPartition { get }
    /// The offset at which reading starts.
    var startOffset: KafkaOffset { get }
    /// Whether new work may start. False once a revocation or loss has begun.
    var isActive: Bool { get }

    /// Waits for records and returns the available ones in ascending offset order, or nil if the partition is inactive
    /// or the task is cancelled. The array is empty if `limit` expires.
    func next(maxRecords: Int, maxBytes: Int, within limit: Duration?) async -> [KafkaRecord]?
    /// Waits without reading.
    ///
    /// - Returns: false if the partition became inactive or the task was cancelled in the meantime.
    func pause(for duration: Duration) async -> Bool
    /// Marks all records before `nextOffset` as finished. Has no effect once the assignment has ended.
    func store(nextOffset: KafkaOffset) async
    /// Returns when the partition becomes inactive or the task is cancelled.
    func untilInactive() async
    /// Returns when the partition has been lost or revoked, or the task is cancelled.
    func untilEnded() async
    /// Confirms that no work is running and all offsets are stored.
    func release() async
}

extension WorkerPartition {
    func next(maxRecords: Int, maxBytes: Int) async -> [KafkaRecord]? {
        await next(maxRecords: maxRecords, maxBytes: maxBytes, within: nil)
    }
}

extension KafkaAssignedPartition: WorkerPartition {}
