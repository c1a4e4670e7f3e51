public import Kafka

/// The options of a pipeline. The defaults suit a handler that takes about a millisecond per record.
public struct PipelineOptions: Sendable {
    /// The consumer group; also part of the dead letter topic's name.
    public let group: KafkaConsumerGroup
    /// The input topics.
    public let topics: [KafkaTopic]
    /// The dead letter topic for all inputs. If nil, each input has its own topic, `<input topic>.<group>.dlq`.
    public var deadLetterTopic: KafkaTopic?
    /// The name for static membership. It must be stable for each member, which then keeps its partitions across a
    /// restart within the session timeout.
    public var groupInstanceId: String?
    /// Maximum number of records of one partition, each with a different key, that a ``RecordHandler`` handles
    /// concurrently.
    public var concurrency = 16
    /// Maximum number of records in one call to a ``BatchHandler`` or to `append`.
    public var maximumBatch = 500
    /// Approximate limit on the bytes of key, value and headers in all concurrent batches together. The more partitions
    /// have records waiting, the smaller their batches are. Each batch has at least one record.
    public var maximumBatchBytes = 1 << 20
    /// A partition is not polled while this many of its records are unfinished.
    public var maximumUnfinishedRecords = 1000
    /// A partition is not polled while its unfinished records have this many bytes of key, value and headers.
    public var maximumUnfinishedBytes = 8 << 20
    /// Approximate limit on the memory used by the unfinished records of all partitions together; each assigned
    /// partition gets an equal share. A record counts with its key, value and headers, plus the overhead of a waiting
    /// handler call (12 KiB for a ``RecordHandler``). Each partition may have at least one record, or with a
    /// ``RecordHandler``, at least `concurrency` records. Not used for a ``FlushingHandler``, which keeps no records.
    public var maximumUnfinishedTotalBytes = 16 << 20
    /// A partition is not polled while its newest record is at least this many offsets above its oldest unfinished one.
    public var maximumDistance: Int64 = 10_000
    /// A ``FlushingHandler`` flushes a partition when this many records have been appended. Replaces
    /// `maximumUnfinishedRecords` for a ``FlushingHandler``.
    public var flushRecords = 50_000
    /// A ``FlushingHandler`` flushes a partition when the appended records have this many bytes of key, value and
    /// headers. Replaces `maximumUnfinishedBytes` for a ``FlushingHandler``.
    public var flushBytes = 64 << 20
    /// A ``FlushingHandler`` flushes a partition no later than this long after the first append.
    public var flushInterval: Duration = .seconds(10)
    /// Maximum number of attempts, including the first, before a record is dead-lettered because its handler throws.
    public var maximumAttempts = 5
    /// The wait before the second attempt. It doubles for each further attempt, with jitter.
    public var firstBackoff: Duration = .milliseconds(200)
    /// The longest wait between attempts.
    public var maximumBackoff: Duration = .seconds(30)
    /// Maximum duration of a handler call, after which the process ends with exit code 75; nil means no limit.
    public var recordDeadline: Duration?
    /// How long running records may take to finish when a partition is revoked or the consumer stops.
    public var drainLimit: Duration = .seconds(10)
    /// Number of partitions of all input topics together; nil if unknown.
    package var inputPartitions: Int?

    /// Creates options with the default limits.
    public init(group: KafkaConsumerGroup, topics: [KafkaTopic]) {
        self.group = group
        self.topics = topics
    }

    /// Returns the limits on one partition's unfinished records.
    func windowLimits(_ handler: PipelineHandler) -> WindowLimits {
        guard case .flushing = handler else {
            return WindowLimits(
                records: maximumUnfinishedRecords, bytes: maximumUnfinishedBytes, distance: maximumDistance)
        }
        return WindowLimits(records: max(1, flushRecords), bytes: max(1, flushBytes), distance: .max)
    }

    /// Returns the memory limit shared by all partitions; nil if the handler keeps no records.
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

    /// Returns the dead letter topic of an input topic: `deadLetterTopic` if set, otherwise
    /// `<input topic>.<group>.dlq`.
    public func deadLetterTopic(of topic: KafkaTopic) -> KafkaTopic {
        deadLetterTopic ?? topic.deadLetters(of: group.rawValue)
    }
}
