public import Kafka

/// Appends the records of a partition now and makes many of them durable at once, at a flush: for object stores,
/// archives, and whatever has a price for each write rather than for each record.
///
/// The runtime flushes when `PipelineOptions.flushRecords` or `flushBytes` are appended, after `flushInterval`, before a
/// partition is revoked, and when the process stops. Offsets follow the flush. One call (`append` or `flush`) of a
/// partition runs at a time; partitions run at once. Threads as for ``RecordHandler``.
///
/// What was appended and not flushed when a partition is lost or a process ends comes again, so the result of a flush is
/// named by what is in it (topic, partition, first offset), or replacing it twice is harmless.
public protocol FlushingHandler: Sendable {
    /// Takes in records of one partition, ascending by offset, and answers one verdict for each in the same order: `done`
    /// for one that the next flush makes durable. Checks here what a record must be: a flush cannot refuse one.
    ///
    /// From the first `retry` on the later verdicts are disregarded and those records are appended again.
    ///
    /// - Throws: having appended none of the records. An ``InfrastructureFault``: they are appended again. Anything
    ///   else: they are appended one at a time, so that only the one at fault spends attempts and is dead-lettered.
    func append(_ records: [KafkaRecord]) async throws -> [HandlerVerdict]

    /// Makes everything durable that was appended of the partition since its last flush.
    ///
    /// - Throws: when it is not durable: it is called again, with backoff and indefinitely. `CancellationError` when the
    ///   task is cancelled (the partition is lost).
    func flush(_ partition: KafkaTopicPartition) async throws

    /// As in ``RecordHandler``: before the first record of an assignment; nothing is appended yet.
    ///
    /// - Parameter start: where reading goes on: what the group has committed, or the oldest record when it has committed
    ///   nothing. A sink that knows better what it holds can find out here what it lacks.
    func partitionAssigned(_ partition: KafkaTopicPartition, startingAt start: KafkaOffset) async throws

    /// As in ``RecordHandler``: drops what was appended and not flushed.
    func partitionReleased(_ partition: KafkaTopicPartition) async
}

extension FlushingHandler {
    public func partitionAssigned(_ partition: KafkaTopicPartition, startingAt start: KafkaOffset) async throws {}
}
