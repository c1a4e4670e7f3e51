public import Kafka

/// Handles records one at a time, in order for each key.
///
/// Handlers run on threads of the runtime's own, up to 64, which may be blocked (SQLite, files). Up to
/// `PipelineOptions.concurrency` records of different keys of one partition run concurrently, and so do partitions; a
/// handler is therefore `Sendable`. Records of one key never overlap within an assignment, and a retried record delays
/// only those of its key. After a restart or a rebalance a record may be passed again, so effects must be idempotent.
public protocol RecordHandler: Sendable {
    /// Handles one record and returns the verdict.
    ///
    /// - Throws: an `InfrastructureFault` to be called again, indefinitely; any other error spends an attempt.
    ///   `CancellationError` when the task was cancelled (the partition was lost) spends none. The error's description
    ///   is written to the log and to the dead letter, so it must contain no payload and no personal data.
    func handle(_ record: KafkaRecord) async throws -> HandlerVerdict

    /// Called when a partition was assigned, before its first record, to bring state up to date. An error is logged and
    /// the call repeated with backoff; other partitions continue. Cancelled when the partition is revoked.
    func partitionAssigned(_ partition: KafkaTopicPartition) async throws

    /// Called when a partition was released and none of its work is running, to drop its state.
    func partitionReleased(_ partition: KafkaTopicPartition) async
}

extension RecordHandler {
    public func partitionAssigned(_ partition: KafkaTopicPartition) async throws {}
    public func partitionReleased(_ partition: KafkaTopicPartition) async {}
}
