public import Kafka

/// Handles a partition's records in batches and returns one verdict per record, so that one transaction can cover
/// hundreds of records.
///
/// Each partition has at most one running batch; partitions run concurrently. For the threads that handlers run on, see
/// ``RecordHandler``.
public protocol BatchHandler: Sendable {
    /// Handles one partition's records, in ascending offset order, and returns one verdict per record in the same
    /// order.
    ///
    /// After the first `retry`, later verdicts in the batch are ignored and their records are passed again. A handler
    /// that cannot continue at a record returns `retry` for it and all records after it.
    ///
    /// - Throws: an `InfrastructureFault` to be called again with the whole batch. After any other error, or a wrong
    ///   number of verdicts, the records are passed one at a time, so that only the faulty record uses up attempts and
    ///   is dead-lettered.
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
