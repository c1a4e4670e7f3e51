public import Kafka

/// Handles records one at a time, in order for each key.
///
/// Handlers run on threads of the runtime's own, up to 64, which may be blocked (SQLite, files). Up to
/// `PipelineOptions.concurrency` records of different keys of one partition run at once, and partitions run at once, so a
/// handler is `Sendable`; records of one key never overlap within an assignment, and one that is tried again holds up
/// those of its key only. After a restart or a rebalance a record may come again: effects are idempotent.
public protocol RecordHandler: Sendable {
    /// Handles one record and answers what became of it.
    ///
    /// - Throws: an `InfrastructureFault` to be tried again indefinitely; anything else spends an attempt.
    ///   `CancellationError` when the task was cancelled (the partition was lost) spends none. The error's description goes to the log and
    ///   to the dead letter, so it holds no payload and no personal data.
    func handle(_ record: KafkaRecord) async throws -> HandlerVerdict

    /// Called when a partition was assigned, before its first record; the place to bring state up to date. A throw is
    /// logged and tried again with backoff; the other partitions go on. Cancelled when the partition is revoked.
    func partitionAssigned(_ partition: KafkaTopicPartition) async throws

    /// Called when a partition is gone and nothing of it runs any more; the place to drop its state.
    func partitionReleased(_ partition: KafkaTopicPartition) async
}

extension RecordHandler {
    public func partitionAssigned(_ partition: KafkaTopicPartition) async throws {}
    public func partitionReleased(_ partition: KafkaTopicPartition) async {}
}
