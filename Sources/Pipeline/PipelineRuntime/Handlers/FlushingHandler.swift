public import Kafka

/// Appends records immediately and makes many of them durable with a single flush. For object stores, archives and
/// other sinks whose cost is per write rather than per record.
///
/// The runtime flushes after `PipelineOptions.flushRecords` records or `flushBytes` bytes have been appended, after
/// `flushInterval`, before a partition is revoked, and when the process stops. Offsets are stored after the flush. Each
/// partition has at most one running call to `append` or `flush`; partitions run concurrently. For the threads that
/// handlers run on, see ``RecordHandler``.
///
/// Records that were appended but not flushed when a partition is lost or the process ends are read again. The output
/// of a flush must therefore be named after its content (topic, partition, first offset) or be safe to write twice.
public protocol FlushingHandler: Sendable {
    /// Appends one partition's records, in ascending offset order, and returns one verdict per record in the same
    /// order. `done` means that the next flush makes the record durable. Validate records here, because a flush cannot
    /// reject them.
    ///
    /// After the first `retry`, later verdicts are ignored and their records are appended again.
    ///
    /// - Throws: an error, without having appended any of the records. After an ``InfrastructureFault``, they are
    ///   appended again. After any other error, they are appended one at a time, so that only the faulty record uses up
    ///   attempts and is dead-lettered.
    func append(_ records: [KafkaRecord]) async throws -> [HandlerVerdict]

    /// Makes durable all records that were appended to the partition since the last flush.
    ///
    /// - Throws: an error if the records are not durable; in that case, the call is retried indefinitely, with backoff.
    ///   `CancellationError` if the task is cancelled because the partition is lost.
    func flush(_ partition: KafkaTopicPartition) async throws

    /// Called before the first record of an assignment is appended. See ``RecordHandler/partitionAssigned(_:)``.
    ///
    /// - Parameter start: the next offset to read: the group's committed offset, or the oldest offset if nothing is
    ///   committed. A sink that stores its own position can detect a gap here.
    func partitionAssigned(_ partition: KafkaTopicPartition, startingAt start: KafkaOffset) async throws

    /// Called to discard records that were appended but not flushed. See ``RecordHandler/partitionReleased(_:)``.
    func partitionReleased(_ partition: KafkaTopicPartition) async
}

extension FlushingHandler {
    public func partitionAssigned(_ partition: KafkaTopicPartition, startingAt start: KafkaOffset) async throws {}
}
