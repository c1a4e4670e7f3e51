public import Kafka

/// Handles records one at a time, in order for each key.
///
/// Handlers run on the runtime's own threads, up to 64, which may be blocked (SQLite, files). Up to
/// `PipelineOptions.concurrency` records of a partition that have different keys run concurrently, and so do
/// partitions, so a handler must be `Sendable`. Records with the same key never overlap within an assignment, and a
/// retried record delays only records with its key. After a restart or a rebalance, a record may be passed again, so
/// effects must be idempotent.
public protocol RecordHandler: Sendable {
    /// Handles one record and returns a verdict.
    ///
    /// - Throws: an `InfrastructureFault` to be called again, indefinitely. Any other error uses up an attempt, except
    ///   a `CancellationError` when the task was cancelled because the partition was lost. The error's description is
    ///   written to the log and to the dead letter, so it must not contain payload or personal data.
    func handle(_ record: KafkaRecord) async throws -> HandlerVerdict

    /// Called after a partition is assigned and before its first record, to bring state up to date. An error is logged
    /// and the call is repeated with backoff; other partitions continue. Cancelled when the partition is revoked.
    func partitionAssigned(_ partition: KafkaTopicPartition) async throws

    /// Called after a partition is released and none of its work is running, to drop its state.
    func partitionReleased(_ partition: KafkaTopicPartition) async
}

extension RecordHandler {
    public func partitionAssigned(_ partition: KafkaTopicPartition) async throws {}
    public func partitionReleased(_ partition: KafkaTopicPartition) async {}
}
