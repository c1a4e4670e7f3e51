internal import Kafka

/// The partition of a ``PartitionWorker``: one assigned to the consumer, or one that a test simulates.
protocol WorkerPartition: Sendable {
    var topicPartition: KafkaTopicPartition { get }
    /// The offset at which reading starts.
    var startOffset: KafkaOffset { get }
    /// Whether new work may start; false once a revocation or loss has begun.
    var isActive: Bool { get }

    /// Waits for records and returns those available, ascending by offset; nil if the partition is inactive or the task
    /// is cancelled. The array is empty if `limit` expires.
    func next(maxRecords: Int, maxBytes: Int, within limit: Duration?) async -> [KafkaRecord]?
    /// Waits without reading.
    ///
    /// - Returns: false if the partition became inactive or the task was cancelled in the meantime.
    func pause(for duration: Duration) async -> Bool
    /// Marks all records before `nextOffset` as done; has no effect once the partition has ended.
    func store(nextOffset: KafkaOffset) async
    /// Returns when the partition becomes inactive or the task is cancelled.
    func untilInactive() async
    /// Returns when the partition has been lost or revoked, or the task is cancelled.
    func untilEnded() async
    /// Confirms that no work is running and all positions are stored.
    func release() async
}

extension WorkerPartition {
    func next(maxRecords: Int, maxBytes: Int) async -> [KafkaRecord]? {
        await next(maxRecords: maxRecords, maxBytes: maxBytes, within: nil)
    }
}

extension KafkaAssignedPartition: WorkerPartition {}
