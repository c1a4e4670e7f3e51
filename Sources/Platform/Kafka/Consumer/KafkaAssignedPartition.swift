internal import Synchronization

/// A partition that is assigned to this consumer: where its records are read and its position is stored.
///
/// One reader: calls of `next` do not overlap. A partition without a reader is not fetched beyond what librdkafka
/// holds ready (`queued.max.messages.kbytes`), while the others, heartbeats and commits go on: not reading *is* the
/// back pressure, and reading again costs microseconds.
public final class KafkaAssignedPartition: Sendable {
    enum Phase: UInt8, AtomicRepresentable {
        /// Records may be read and started.
        case active
        /// Being revoked: nothing new is started, positions are still stored.
        case draining
        /// Revoked or lost: nothing counts any more.
        case ended
    }

    /// The partition.
    public let topicPartition: KafkaTopicPartition
    /// Unique in this consumer: a partition that comes back comes as another assignment.
    public let epoch: UInt64
    /// Where reading starts.
    public let startOffset: KafkaOffset

    private let consumer: KafkaConsumer
    private let currentPhase = Atomic(Phase.active)
    private let currentPosition: Atomic<Int64>

    init(_ topicPartition: KafkaTopicPartition, epoch: UInt64, startOffset: KafkaOffset, consumer: KafkaConsumer) {
        self.topicPartition = topicPartition
        self.epoch = epoch
        self.startOffset = startOffset
        self.consumer = consumer
        currentPosition = Atomic(startOffset.rawValue)
    }

    /// Set by the consumer only.
    var phase: Phase {
        get { currentPhase.load(ordering: .acquiring) }
        set { currentPhase.store(newValue, ordering: .releasing) }
    }

    /// False as soon as the partition is being revoked, is lost, or the consumer closes: start nothing more.
    public var isActive: Bool { phase == .active }

    /// Everything before this offset was read: one past the last record that ``next(maxRecords:maxBytes:)`` returned, or
    /// the end of the partition once that was met. There may be no record in front of the end: transaction markers take
    /// offsets too, and compaction and deletion leave gaps. Before the first record it is ``startOffset``.
    public internal(set) var position: KafkaOffset {
        get { KafkaOffset(rawValue: currentPosition.load(ordering: .acquiring)) }
        set { currentPosition.store(newValue.rawValue, ordering: .releasing) }
    }

    /// Waits for records and returns those that are there, ascending by offset.
    ///
    /// - Parameters:
    ///   - maxRecords: the most to return, at least 1.
    ///   - maxBytes: no further record is added once they have this many bytes.
    ///   - limit: how long to wait for the first record; nil waits until there is one.
    /// - Returns: nil when the partition is no longer active or the task is cancelled; no records when `limit` is over,
    ///   and at the end of the partition, which is reported only to a consumer without a group.
    public func next(
        maxRecords: Int, maxBytes: Int = .max, within limit: Duration? = nil
    ) async -> [KafkaRecord]? {
        await consumer.next(of: self, maxRecords: max(1, maxRecords), maxBytes: max(1, maxBytes), within: limit)
    }

    /// Waits without reading, such as before another attempt.
    ///
    /// - Returns: true when the time is over, false as soon as the partition is no longer active or the task is
    ///   cancelled.
    public func pause(for duration: Duration) async -> Bool {
        await consumer.pause(self, for: duration)
    }

    /// Says that everything before `nextOffset` is done. It is committed by the interval (`auto.commit.interval.ms`),
    /// and when the partition is revoked or the consumer closes. A lower offset than before, and a partition that has
    /// ended, are ignored. Without a group nothing is committed.
    public func store(nextOffset: KafkaOffset) async {
        await consumer.store(nextOffset, of: self)
    }

    /// Returns when the partition is no longer active (``isActive``) or the task is cancelled.
    public func untilInactive() async {
        await consumer.untilInactive(self)
    }

    /// Returns when the partition has ended (lost, or revoked without waiting further) or the task is cancelled.
    public func untilEnded() async {
        await consumer.untilEnded(self)
    }

    /// Confirms that no work of this partition is running and all positions are stored: the rebalance goes on.
    public func release() async {
        await consumer.release(self)
    }
}
