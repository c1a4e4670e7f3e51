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
    private let logs = Mutex<[KafkaTopicPartition: OpenLog]>([:])

    /// - Throws: `CancellationError` when the partition is not open.
    func take(_ partition: KafkaTopicPartition) throws -> OpenLog {
        guard let log = logs.withLock({ $0.removeValue(forKey: partition) }) else { throw CancellationError() }
        return log
    }

    func put(_ log: OpenLog, for partition: KafkaTopicPartition) { logs.withLock { $0[partition] = log } }

    /// Forgets what was appended and not committed, and lets others write.
    func close(_ partition: KafkaTopicPartition) {
        logs.withLock { $0.removeValue(forKey: partition) }?.lock.release()
    }

    /// Leaves that the checkpoint of a log covers; nil when it is not open, or is being written.
    func committedSize(of partition: KafkaTopicPartition) -> Int? {
        logs.withLock { $0[partition]?.writer.committedSize }
    }

    var partitions: [KafkaTopicPartition] { logs.withLock { Array($0.keys) } }
}
