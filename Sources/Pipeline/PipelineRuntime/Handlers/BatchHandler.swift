public import Kafka

/// Handles the records of a partition in batches and answers for each, so that one transaction covers hundreds.
///
/// One batch of a partition runs at a time; partitions run at once, or together. Threads as for ``RecordHandler``.
public protocol BatchHandler: Sendable {
    /// Handles records of one partition, ascending by offset, and answers one verdict for each in the same order.
    ///
    /// With `PipelineOptions.joinsPartitions` the records are those of several partitions of one topic: those of each in
    /// a row, ascending by offset. Where such a call throws, it is repeated for each partition alone.
    ///
    /// From the first `retry` of a partition on, its later verdicts of the batch are disregarded and those records come
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
