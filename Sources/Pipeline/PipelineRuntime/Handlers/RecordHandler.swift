public import Kafka

/// Handles records one at a time, in order for each key.
///
/// Handlers run on up to 64 runtime threads and may block them (SQLite, files). Partitions run concurrently, as do up
/// to `PipelineOptions.concurrency` records with different keys within a partition, so a handler must be `Sendable`.
/// Within an assignment, records with the same key never overlap, and a retried record delays only records with the
/// same key. After a restart or a rebalance, a record may be passed again, so effects must be idempotent.
public protocol RecordHandler: Sendable {
    /// Handles one record and returns a verdict.
    ///
    /// - Throws: an `InfrastructureFault` to be called again, with unlimited attempts. Any other error uses up an
    ///   attempt, except a `CancellationError` after the partition was lost. The error's description is written to the
    ///   log and to the dead letter, so it must not contain payload or personal data.
    func handle(_ record: KafkaRecord) async throws -> HandlerVerdict

    /// Called after a partition is assigned and before its first record is passed, to bring state up to date. If it
    /// throws, the error is logged and the call is retried with backoff; other partitions continue. Cancelled when the
    /// partition is revoked.
    func partitionAssigned(_ partition: KafkaTopicPartition) async throws

    /// Called when a partition is released and none of its work is running, so that the handler can discard its state.
    func partitionReleased(_ partition: KafkaTopicPartition) async
}

extension RecordHandler {
    public func partitionAssigned(_ partition: KafkaTopicPartition) async throws {}
    public func partitionReleased(_ partition: KafkaTopicPartition) async {}
}
