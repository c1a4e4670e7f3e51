internal import ArchiveLog
internal import Kafka
internal import ObjectStorage
internal import Synchronization

/// The log of a partition that this member owns.
struct OpenLog: Sendable {
    var writer: LogWriter
    let lock: any ObjectStoreLock
    /// The offset after the last archived record. Nil for an empty log, which begins at the first offset that Kafka
    /// still has.
    var next: KafkaOffset? {
        writer.lastLeaf.map { KafkaOffset(rawValue: $0.position.offset.rawValue + 1) }
    }
    /// Whether a reread record has been compared with the archived one since the log was opened.
    var isCompared = false
    /// The number of leaves since the last flush that have no payload because their subject was erased.
    var erased = 0
}

/// The logs of all partitions that this member owns. The runtime makes one call per partition at a time, so a log is
/// put back before it is taken again.
final class OpenLogs: Sendable {
    private struct State {
        /// Open logs that no call is using.
        var logs: [KafkaTopicPartition: OpenLog] = [:]
        var open: Set<KafkaTopicPartition> = []
        /// Partitions assigned to this member, including those whose log could not be opened.
        var assigned: Set<KafkaTopicPartition> = []
    }

    private let state = Mutex(State())

    /// Marks a partition as assigned to this member.
    func assign(_ partition: KafkaTopicPartition) { state.withLock { _ = $0.assigned.insert(partition) } }

    /// Returns whether a partition is assigned to this member, even if its log could not be opened.
    func isAssigned(_ partition: KafkaTopicPartition) -> Bool { state.withLock { $0.assigned.contains(partition) } }

    /// - Throws: `CancellationError` if the partition is not open.
    func take(_ partition: KafkaTopicPartition) throws -> OpenLog {
        guard let log = state.withLock({ $0.logs.removeValue(forKey: partition) }) else { throw CancellationError() }
        return log
    }

    func put(_ log: OpenLog, for partition: KafkaTopicPartition) {
        state.withLock { state in
            state.logs[partition] = log
            state.open.insert(partition)
        }
    }

    /// Discards uncommitted leaves and lets other members write.
    func close(_ partition: KafkaTopicPartition) {
        let log = state.withLock { state in
            state.open.remove(partition)
            state.assigned.remove(partition)
            return state.logs.removeValue(forKey: partition)
        }
        log?.lock.release()
    }

    /// Returns the number of leaves covered by a log's checkpoint, or nil if the log is not open or is in use.
    func committedSize(of partition: KafkaTopicPartition) -> Int? {
        state.withLock { $0.logs[partition]?.writer.committedSize }
    }

    /// The newest timestamp among the logs' last records, in milliseconds since 1970, or nil if none has a timestamp.
    var newestTimestamp: Int64? {
        state.withLock { $0.logs.values.compactMap { $0.writer.lastLeaf?.timestampMilliseconds }.max() }
    }

    var partitions: [KafkaTopicPartition] { state.withLock { Array($0.open) } }
}
