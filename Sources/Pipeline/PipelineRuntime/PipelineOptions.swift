public import Kafka

/// How a pipeline consumes; every bound has a default that suits a handler of about a millisecond.
public struct PipelineOptions: Sendable {
    /// The consumer group; part of the dead letter topic's name.
    public let group: KafkaConsumerGroup
    /// The topics read.
    public let topics: [KafkaTopic]
    /// Where dead letters of every input go; nil: each input has a topic of its own, `<input topic>.<group>.dlq`.
    public var deadLetterTopic: KafkaTopic?
    /// Keeps its partitions over a restart within the session timeout when set: a name that is stable for one member.
    public var groupInstanceId: String?
    /// Records of different keys of one partition that a ``RecordHandler`` may have at once.
    public var concurrency = 16
    /// Most records in one call of a ``BatchHandler`` or of `append`.
    public var maximumBatch = 500
    /// Such calls of all partitions together get about this many bytes of key, value and headers: the more partitions
    /// have records waiting, the smaller are their batches. Each gets one record at least.
    public var maximumBatchBytes = 1 << 20
    /// A partition is not polled while this many of its records are unfinished.
    public var maximumUnfinishedRecords = 1000
    /// A partition is not polled while its unfinished records have this many bytes of key, value and headers.
    public var maximumUnfinishedBytes = 8 << 20
    /// The unfinished records of all partitions together may take about this many bytes of memory, and each partition
    /// that is assigned gets the same share of it. A record counts with its key, value and headers, and with what a call
    /// of the handler costs that waits (12 KiB of a ``RecordHandler``). Each partition may have one record at least, and
    /// `concurrency` records of a ``RecordHandler``. Not for a ``FlushingHandler``, which keeps no records.
    public var maximumUnfinishedTotalBytes = 16 << 20
    /// A partition is not polled while its newest record is this far above its oldest unfinished one.
    public var maximumDistance: Int64 = 10_000
    /// A ``FlushingHandler`` flushes a partition when this many of its records are appended. It replaces
    /// `maximumUnfinishedRecords` there.
    public var flushRecords = 50_000
    /// A ``FlushingHandler`` flushes a partition when the appended records have this many bytes of key, value and headers.
    /// It replaces `maximumUnfinishedBytes` there.
    public var flushBytes = 64 << 20
    /// A ``FlushingHandler`` flushes a partition at the latest so long after the first append.
    public var flushInterval: Duration = .seconds(10)
    /// Attempts at a record whose handler throws, the first included, before it is dead-lettered.
    public var maximumAttempts = 5
    /// The wait before the second attempt; doubled for each further one, with jitter.
    public var firstBackoff: Duration = .milliseconds(200)
    /// The longest wait between attempts.
    public var maximumBackoff: Duration = .seconds(30)
    /// How long one call of a handler may last; beyond it the process ends with 75. Nil: as long as it likes.
    public var recordDeadline: Duration?
    /// How long running records may take to finish when a partition is revoked or the consumer stops.
    public var drainLimit: Duration = .seconds(10)
    /// How many partitions the topics have together; nil when that is not known.
    package var inputPartitions: Int?

    /// Options with the defaults.
    public init(group: KafkaConsumerGroup, topics: [KafkaTopic]) {
        self.group = group
        self.topics = topics
    }

    /// What may be unfinished in one partition.
    func windowLimits(_ handler: PipelineHandler) -> WindowLimits {
        guard case .flushing = handler else {
            return WindowLimits(
                records: maximumUnfinishedRecords, bytes: maximumUnfinishedBytes, distance: maximumDistance)
        }
        return WindowLimits(records: max(1, flushRecords), bytes: max(1, flushBytes), distance: .max)
    }

    /// The memory that all partitions share; nil where no records are held.
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

    /// The dead letter topics of all inputs.
    public var deadLetterTopics: [KafkaTopic] { deadLetterTopic.map { [$0] } ?? topics.map(deadLetterTopic(of:)) }

    /// The dead letter topic of an input topic: the one of all where there is one, else `<input topic>.<group>.dlq`.
    public func deadLetterTopic(of topic: KafkaTopic) -> KafkaTopic {
        deadLetterTopic ?? topic.deadLetters(of: group.rawValue)
    }
}
