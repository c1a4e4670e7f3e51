public import Kafka

/// Handles the records of a partition in batches, with one verdict for each record, so that one transaction can cover
/// hundreds of records.
///
/// Only one batch per partition runs at a time; partitions run concurrently. For threads, see ``RecordHandler``.
public protocol BatchHandler: Sendable {
    /// Handles records of one partition, in ascending order of offsets, and returns one verdict for each in the same
    /// order.
    ///
    /// After the first `retry`, later verdicts in the batch are ignored and their records are passed again. A handler
    /// that cannot continue at a record returns `retry` for it and for all records after it.
    ///
    /// - Throws: an `InfrastructureFault` to be called again with the whole batch. After any other error (including a
    ///   wrong number of verdicts), the records are passed one at a time, so that only the record at fault uses up
    ///   attempts and is dead-lettered.
    func handle(_ records: [KafkaRecord]) async throws -> [HandlerVerdict]

    /// See ``RecordHandler/partitionAssigned(_:)``.
    func partitionAssigned(_ partition: KafkaTopicPartition) async throws

    /// See ``RecordHandler/partitionReleased(_:)``.
    func partitionReleased(_ partition: KafkaTopicPartition) async
}

extension BatchHandler {
    public func partitionAssigned(_ partition: KafkaTopicPartition) async throws {}
    public func partitionReleased(_ partition: KafkaTopicPartition) async {}
}
