public import Kafka

/// Handles the records of a partition in batches and answers for each, so that one transaction covers hundreds.
///
/// One batch of a partition runs at a time; partitions run at once. Threads as for ``RecordHandler``.
public protocol BatchHandler: Sendable {
    /// Handles records of one partition, ascending by offset, and answers one verdict for each in the same order.
    ///
    /// From the first `retry` on, the later verdicts of the batch are disregarded and those records come
    /// again: a handler that cannot go on at a record answers `retry` for it and for all that follow.
    ///
    /// - Throws: an `InfrastructureFault`: the whole batch comes again. Anything else (a number of verdicts
    ///   that is not the number of records, too): the records come one at a time, so that only the one at
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
