public import Kafka

/// Handles records one at a time, in order per key.
///
/// The runtime calls from a task executor of its own, whose threads may be blocked (SQLite, files): nothing a handler
/// does there can starve Swift's cooperative pool. Up to `PipelineOptions.lanes` records of different keys of one
/// partition run at once, and partitions run at once, so a handler is `Sendable`; records of one key never overlap
/// within an assignment. After a restart or a rebalance a record may come again: effects are idempotent.
public protocol RecordHandler: Sendable {
    /// Handles one record and answers what became of it.
    ///
    /// - Throws: an `InfrastructureFault` to be tried again for ever; anything else spends an attempt.
    ///   `CancellationError` (the partition was lost) is nobody's fault. The error's description goes to the log and
    ///   to the dead letter, so it holds no payload and no personal data.
    func handle(_ record: KafkaRecord) async throws -> HandlerVerdict

    /// Called when a partition was assigned, before its first record; the place to bring state up to date. A throw is
    /// logged and tried again with backoff; the other partitions go on.
    func partitionAssigned(_ partition: KafkaTopicPartition) async throws

    /// Called when a partition is gone and nothing of it runs any more; the place to drop its state.
    func partitionReleased(_ partition: KafkaTopicPartition) async
}

extension RecordHandler {
    public func partitionAssigned(_ partition: KafkaTopicPartition) async throws {}
    public func partitionReleased(_ partition: KafkaTopicPartition) async {}
}

/// Handles the records of a partition in batches and answers for each, so that one transaction covers hundreds.
///
/// One batch of a partition runs at a time; partitions run at once. Threads as for ``RecordHandler``.
public protocol BatchHandler: Sendable {
    /// Handles records of one partition, ascending by offset, and answers one verdict for each in the same order.
    ///
    /// From the first `retry` on, the later verdicts of the batch are disregarded and those records are handed over
    /// again: a handler that cannot go on at a record answers `retry` for it and for all that follow.
    ///
    /// - Throws: an `InfrastructureFault`: the whole batch is handed over again. Anything else (a number of verdicts
    ///   that is not the number of records, too): the records are handed over one at a time, so that only the one at
    ///   fault spends attempts and is dead-lettered.
    func handle(_ records: [KafkaRecord]) async throws -> [HandlerVerdict]

    /// As in ``RecordHandler``.
    func partitionAssigned(_ partition: KafkaTopicPartition) async throws

    /// As in ``RecordHandler``.
    func partitionReleased(_ partition: KafkaTopicPartition) async
}

extension BatchHandler {
    public func partitionAssigned(_ partition: KafkaTopicPartition) async throws {}
    public func partitionReleased(_ partition: KafkaTopicPartition) async {}
}

/// The handler of a pipeline, in one of the two forms.
public enum PipelineHandler: Sendable {
    /// One record at a time, in order per key.
    case records(any RecordHandler)
    /// A partition's records as batches.
    case batches(any BatchHandler)
}
