internal import ArchiveFormat
internal import ArchiveLog
internal import Kafka
internal import ObjectStorage
internal import Synchronization

/// The log of a partition that this member owns.
struct OpenLog: Sendable {
    var writer: LogWriter
    let lock: any ObjectStoreLock
    /// The offset after the last archived record; nil while the log is empty and so begins wherever Kafka's does.
    var next: KafkaOffset? {
        writer.lastLeaf.map { KafkaOffset(rawValue: $0.position.offset.rawValue + 1) }
    }
    /// A record that was read again was compared with the archived one since the log was opened.
    var isCompared = false
    /// Leaves since the last flush that have no payload because their subject was erased.
    var erased = 0
}

/// The logs of all partitions that this member owns. The runtime makes one call of a partition at a time, so a log that is
/// taken comes back before it is taken again.
final class OpenLogs: Sendable {
    private struct State {
        /// Those that no call has.
        var logs: [KafkaTopicPartition: OpenLog] = [:]
        var open: Set<KafkaTopicPartition> = []
        /// Those that this member was given, whether their log could be opened or not.
        var assigned: Set<KafkaTopicPartition> = []
    }

    private let state = Mutex(State())

    /// Notes that the group gave this member a partition.
    func assign(_ partition: KafkaTopicPartition) { state.withLock { _ = $0.assigned.insert(partition) } }

    /// Whether this member has a partition, also while its log cannot be opened.
    func isAssigned(_ partition: KafkaTopicPartition) -> Bool { state.withLock { $0.assigned.contains(partition) } }

    /// - Throws: `CancellationError` when the partition is not open.
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

    /// Forgets what was appended and not committed, and lets others write.
    func close(_ partition: KafkaTopicPartition) {
        let log = state.withLock { state in
            state.open.remove(partition)
            state.assigned.remove(partition)
            return state.logs.removeValue(forKey: partition)
        }
        log?.lock.release()
    }

    /// Leaves that the checkpoint of a log covers; nil when it is not open, or is being written.
    func committedSize(of partition: KafkaTopicPartition) -> Int? {
        state.withLock { $0.logs[partition]?.writer.committedSize }
    }

    /// The newest time that the last record of any log has, in milliseconds since 1970; nil when none has one.
    var newestTimestamp: Int64? {
        state.withLock { $0.logs.values.compactMap { $0.writer.lastLeaf?.timestampMilliseconds }.max() }
    }

    var partitions: [KafkaTopicPartition] { state.withLock { Array($0.open) } }
}
