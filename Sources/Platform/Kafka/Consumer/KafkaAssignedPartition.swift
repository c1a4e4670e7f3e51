internal import Synchronization

/// A partition assigned to a consumer. Its owner reads the records and stores the position.
///
/// A partition has a single reader: calls to `next` must not overlap. If a partition is not read, librdkafka fetches up
/// to its queue limit (`queued.max.messages.kbytes`), while other partitions, heartbeats and commits continue. This
/// provides back pressure, and resuming takes only microseconds.
public final class KafkaAssignedPartition: Sendable {
    enum Phase: UInt8, AtomicRepresentable {
        /// Records may be read and processed.
        case active
        /// The partition is being revoked. No new work starts, but positions are still stored.
        case draining
        /// The partition was revoked or lost; calls have no effect.
        case ended
    }

    /// The partition.
    public let topicPartition: KafkaTopicPartition
    /// The number of this assignment, unique within the consumer. A partition that is assigned again has a new epoch.
    public let epoch: UInt64
    /// The offset at which reading starts.
    public let startOffset: KafkaOffset

    private let consumer: KafkaConsumer
    private let currentPhase = Atomic(Phase.active)
    private let currentPosition: Atomic<Int64>
    private let isAtEnd = Atomic(false)

    init(_ topicPartition: KafkaTopicPartition, epoch: UInt64, startOffset: KafkaOffset, consumer: KafkaConsumer) {
        self.topicPartition = topicPartition
        self.epoch = epoch
        self.startOffset = startOffset
        self.consumer = consumer
        currentPosition = Atomic(startOffset.rawValue)
    }

    /// The phase. Only the consumer sets it.
    var phase: Phase {
        get { currentPhase.load(ordering: .acquiring) }
        set { currentPhase.store(newValue, ordering: .releasing) }
    }

    /// Whether new work may start. False once the partition is being revoked or has been lost, once the consumer is
    /// closing, and after certain errors, such as an offset out of range.
    public var isActive: Bool { phase == .active }

    /// The next offset to read: one past the last record returned by ``next(maxRecords:maxBytes:within:)``, or the end
    /// of the partition once it has been reached. There may be no record just before the end, because transaction
    /// markers occupy offsets, and compaction and deletion leave gaps. The initial value is ``startOffset``.
    public internal(set) var position: KafkaOffset {
        get { KafkaOffset(rawValue: currentPosition.load(ordering: .acquiring)) }
        set { currentPosition.store(newValue.rawValue, ordering: .releasing) }
    }

    /// Whether the last call to ``next(maxRecords:maxBytes:within:)`` reached the end of the partition. Always false
    /// for a member of a group. With a filter, a call before the end may also return no records.
    package internal(set) var hasReachedEnd: Bool {
        get { isAtEnd.load(ordering: .acquiring) }
        set { isAtEnd.store(newValue, ordering: .releasing) }
    }

    /// Waits for records and returns those available, ascending by offset.
    ///
    /// - Parameters:
    ///   - maxRecords: the maximum number of records, at least 1.
    ///   - maxBytes: the size in bytes after which no further record is added.
    ///   - limit: the maximum wait for the first record; nil waits indefinitely.
    /// - Returns: the records, or nil if the partition is inactive or damaged, or if the task is cancelled. The array
    ///   is empty if `limit` expires, or at the end of the partition, which is reported only to a consumer without a
    ///   group.
    public func next(
        maxRecords: Int, maxBytes: Int = .max, within limit: Duration? = nil
    ) async -> [KafkaRecord]? {
        await consumer.next(of: self, maxRecords: max(1, maxRecords), maxBytes: max(1, maxBytes), within: limit)
    }

    /// Waits for records as ``next(maxRecords:maxBytes:within:)`` does without a limit, and returns them in a few
    /// blocks of memory.
    package func nextPacked(maxRecords: Int, maxBytes: Int = .max) async -> PackedRecords? {
        await consumer.nextPacked(of: self, maxRecords: max(1, maxRecords), maxBytes: max(1, maxBytes))
    }

    /// Waits without reading, for example before another attempt.
    ///
    /// - Returns: true after the time has elapsed; false as soon as the partition becomes inactive or the task is
    ///   cancelled.
    public func pause(for duration: Duration) async -> Bool {
        await consumer.pause(self, for: duration)
    }

    /// Marks all records before `nextOffset` as done. The offset is committed periodically (`auto.commit.interval.ms`),
    /// when the partition is revoked, and when the consumer closes. The call has no effect if the stored offset is
    /// higher or the assignment has ended. Without a group, nothing is committed.
    public func store(nextOffset: KafkaOffset) async {
        await consumer.store(nextOffset, of: self)
    }

    /// Returns when the partition becomes inactive (see ``isActive``) or the task is cancelled.
    public func untilInactive() async {
        await consumer.untilInactive(self)
    }

    /// Returns when the partition is lost or revoked, or when the task is cancelled.
    public func untilEnded() async {
        await consumer.untilEnded(self)
    }

    /// Confirms that no work on this partition is running and all positions are stored, so that the rebalance can
    /// continue.
    public func release() async {
        await consumer.release(self)
    }
}
