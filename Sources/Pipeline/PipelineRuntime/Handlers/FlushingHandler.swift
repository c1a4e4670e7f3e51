public import Kafka

/// Appends the records of a partition immediately and makes many of them durable at once, at a flush: for object
/// stores, archives, and other sinks that charge for each write rather than for each record.
///
/// The runtime flushes after `PipelineOptions.flushRecords` or `flushBytes` have been appended, after `flushInterval`,
/// before a partition is revoked, and when the process stops. Offsets are stored after the flush. One call (`append` or
/// `flush`) of a partition runs at a time; partitions run concurrently. Threads: see ``RecordHandler``.
///
/// Records that were appended but not flushed when a partition is lost or a process ends are read again. The result of
/// a flush must therefore be named by its content (topic, partition, first offset), or be safe to replace twice.
public protocol FlushingHandler: Sendable {
    /// Appends records of one partition, ascending by offset, and returns one verdict for each in the same order:
    /// `done` for a record that the next flush makes durable. Records are validated here, because a flush cannot refuse
    /// one.
    ///
    /// After the first `retry` the later verdicts are ignored, and those records are appended again.
    ///
    /// - Throws: without having appended any of the records. After an ``InfrastructureFault`` they are appended again.
    ///   After any other error they are appended one at a time, so that only the record at fault spends attempts and is
    ///   dead-lettered.
    func append(_ records: [KafkaRecord]) async throws -> [HandlerVerdict]

    /// Makes every record of the partition durable that was appended since its last flush.
    ///
    /// - Throws: if the records are not durable; the call is then repeated with backoff, indefinitely.
    ///   `CancellationError` when the task is cancelled (the partition is lost).
    func flush(_ partition: KafkaTopicPartition) async throws

    /// Called before the first record of an assignment; see ``RecordHandler/partitionAssigned(_:)``. Nothing is
    /// appended yet.
    ///
    /// - Parameter start: the next offset to be read: the group's committed offset, or the oldest record if there is
    ///   none. A sink that records its own position can detect a gap here.
    func partitionAssigned(_ partition: KafkaTopicPartition, startingAt start: KafkaOffset) async throws

    /// Drops the records that were appended but not flushed; see ``RecordHandler/partitionReleased(_:)``.
    func partitionReleased(_ partition: KafkaTopicPartition) async
}

extension FlushingHandler {
    public func partitionAssigned(_ partition: KafkaTopicPartition, startingAt start: KafkaOffset) async throws {}
}
