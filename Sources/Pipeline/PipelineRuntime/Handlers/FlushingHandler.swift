public import Kafka

/// Appends the records of a partition immediately, and makes many of them durable at once with a flush. For object
/// stores, archives and other sinks that charge per write rather than per record.
///
/// The runtime flushes after `PipelineOptions.flushRecords` or `flushBytes` have been appended, after `flushInterval`,
/// before a partition is revoked, and when the process stops. Offsets are stored after the flush. Only one call
/// (`append` or `flush`) per partition runs at a time; partitions run concurrently. For threads, see ``RecordHandler``.
///
/// Records that were appended but not flushed when a partition is lost or the process ends are read again. The result
/// of a flush must therefore be named by its content (topic, partition, first offset), or be safe to write twice.
public protocol FlushingHandler: Sendable {
    /// Appends records of one partition, in ascending order of offsets, and returns one verdict for each in the same
    /// order: `done` for a record that the next flush makes durable. Validate records here, because a flush cannot
    /// refuse one.
    ///
    /// After the first `retry`, later verdicts are ignored and their records are appended again.
    ///
    /// - Throws: an error, without having appended any of the records. After an ``InfrastructureFault``, they are
    ///   appended again. After any other error, they are appended one at a time, so that only the record at fault uses
    ///   up attempts and is dead-lettered.
    func append(_ records: [KafkaRecord]) async throws -> [HandlerVerdict]

    /// Makes all records durable that were appended to the partition since its last flush.
    ///
    /// - Throws: an error if the records are not durable; the call is then repeated with backoff, indefinitely.
    ///   `CancellationError` if the task is cancelled because the partition is lost.
    func flush(_ partition: KafkaTopicPartition) async throws

    /// Called before the first record of an assignment; see ``RecordHandler/partitionAssigned(_:)``. Nothing is
    /// appended yet.
    ///
    /// - Parameter start: the next offset to read: the group's committed offset, or the oldest record if there is none.
    ///   A sink that records its own position can detect a gap here.
    func partitionAssigned(_ partition: KafkaTopicPartition, startingAt start: KafkaOffset) async throws

    /// Called to drop the records that were appended but not flushed; see ``RecordHandler/partitionReleased(_:)``.
    func partitionReleased(_ partition: KafkaTopicPartition) async
}

extension FlushingHandler {
    public func partitionAssigned(_ partition: KafkaTopicPartition, startingAt start: KafkaOffset) async throws {}
}
