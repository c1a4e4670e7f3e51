public import Kafka

/// Options of a pipeline. The defaults suit a handler that takes about a millisecond per record.
public struct PipelineOptions: Sendable {
    /// The consumer group. Its name is also part of the dead letter topic's name.
    public let group: KafkaConsumerGroup
    /// The input topics.
    public let topics: [KafkaTopic]
    /// The shared dead letter topic for all input topics. If nil, each input topic has a separate one, `<input
    /// topic>.<group>.dlq`.
    public var deadLetterTopic: KafkaTopic?
    /// The instance name for static membership. It must be stable for each member, which then keeps its partitions if
    /// it restarts within the session timeout.
    public var groupInstanceId: String?
    /// The maximum number of records in one partition, each with a different key, that a ``RecordHandler`` handles
    /// concurrently.
    public var concurrency = 16
    /// The maximum number of records in one call to a ``BatchHandler`` or to `append`.
    public var maximumBatch = 500
    /// The approximate limit on the total size, in bytes, of the keys, values and headers in the concurrent batches of
    /// partitions with a backlog. Batches of up to 512 KiB take turns within this limit. A partition without a backlog
    /// does not wait for a turn and has batches of up to 64 KiB. A batch always contains at least one record.
    public var maximumBatchBytes = 2 << 20
    /// A partition with this many unfinished records is not polled.
    public var maximumUnfinishedRecords = 1000
    /// A partition is not polled while the keys, values and headers of its unfinished records total at least this many
    /// bytes.
    public var maximumUnfinishedBytes = 8 << 20
    /// The approximate limit on the memory used by the unfinished records of all partitions. Each assigned partition
    /// gets an equal share. The size of a record is that of its key, value and headers, plus the overhead of a waiting
    /// handler call (12 KiB for a ``RecordHandler``). Each partition may always have at least one record or, with a
    /// ``RecordHandler``, at least `concurrency` records. Not used for a ``FlushingHandler``, which stores no records
    /// in memory.
    public var maximumUnfinishedTotalBytes = 16 << 20
    /// A partition is not polled while its newest record is this many offsets ahead of its oldest unfinished one.
    public var maximumDistance: Int64 = 10_000
    /// The number of appended records at which a ``FlushingHandler`` flushes a partition. Replaces
    /// `maximumUnfinishedRecords` for a ``FlushingHandler``.
    public var flushRecords = 50_000
    /// The total size, in bytes, of the keys, values and headers of appended records at which a ``FlushingHandler``
    /// flushes a partition. Replaces `maximumUnfinishedBytes` for a ``FlushingHandler``.
    public var flushBytes = 64 << 20
    /// The maximum time between a ``FlushingHandler``'s first append to a partition and the flush.
    public var flushInterval: Duration = .seconds(10)
    /// The maximum number of attempts to handle a record, including the first. If the last one throws, the record is
    /// dead-lettered.
    public var maximumAttempts = 5
    /// The maximum wait before the second attempt. The maximum doubles with each subsequent attempt.
    public var firstBackoff: Duration = .milliseconds(200)
    /// The longest wait between attempts.
    public var maximumBackoff: Duration = .seconds(30)
    /// The maximum duration of a handler call, after which the process ends with exit code 75; nil means no limit.
    public var recordDeadline: Duration?
    /// The time limit for completing the records being handled when a partition is revoked or the consumer stops.
    public var drainLimit: Duration = .seconds(10)
    /// The total number of partitions of all input topics, or nil if unknown.
    package var inputPartitions: Int?

    /// Creates options with the default limits.
    public init(group: KafkaConsumerGroup, topics: [KafkaTopic]) {
        self.group = group
        self.topics = topics
    }

    /// Returns the limits on the unfinished records of one partition.
    func windowLimits(_ handler: PipelineHandler) -> WindowLimits {
        guard case .flushing = handler else {
            return WindowLimits(
                records: maximumUnfinishedRecords, bytes: maximumUnfinishedBytes, distance: maximumDistance)
        }
        return WindowLimits(records: max(1, flushRecords), bytes: max(1, flushBytes), distance: .max)
    }

    /// Returns how long a record may wait for its flush; zero if the handler does not flush.
    func timeToFlush(_ handler: PipelineHandler) -> Duration {
        guard case .flushing = handler else { return .zero }
        return flushInterval
    }

    /// Returns the memory limit shared by all partitions, or nil if the handler stores no records in memory.
    func windowShare(_ handler: PipelineHandler) -> WindowShare? {
        switch handler {
        case .records:
            WindowShare(
                total: maximumUnfinishedTotalBytes, recordBytes: WindowShare.taskBytes, minimumRecords: concurrency)
        case .batches:
            WindowShare(
                total: maximumUnfinishedTotalBytes, recordBytes: WindowShare.entryBytes, minimumRecords: 1)
        case .flushing: nil
        }
    }

    /// The dead letter topics for all input topics.
    public var deadLetterTopics: [KafkaTopic] { deadLetterTopic.map { [$0] } ?? topics.map(deadLetterTopic(of:)) }

    /// Returns the dead letter topic for an input topic: `deadLetterTopic` if set, otherwise `<input
    /// topic>.<group>.dlq`.
    public func deadLetterTopic(of topic: KafkaTopic) -> KafkaTopic {
        deadLetterTopic ?? topic.deadLetters(of: group.rawValue)
    }
}
