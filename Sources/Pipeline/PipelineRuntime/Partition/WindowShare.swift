internal import Synchronization

/// Limits the memory used by the unfinished records of each partition. The total is divided by the number of assigned
/// partitions, so that a member's memory use does not grow with that number.
final class WindowShare: Sendable {
    /// The overhead per record for a ``RecordHandler``, in bytes: a task with the frames of a waiting handler, and the
    /// timer for its next attempt. Measured with `sluice-webhooks` while a receiver was down.
    static var taskBytes: Int { 12 << 10 }
    /// The overhead per record in a batch, in bytes.
    static var entryBytes: Int { 512 }

    /// The overhead per record, in bytes.
    let recordBytes: Int
    /// The number of records that a partition may have regardless of its share.
    let minimumRecords: Int
    private let total: Int
    private let partitions = Atomic(0)

    /// - Parameter total: the limit for all partitions, in bytes.
    init(total: Int, recordBytes: Int, minimumRecords: Int) {
        self.total = max(0, total)
        self.recordBytes = max(1, recordBytes)
        self.minimumRecords = max(1, minimumRecords)
    }

    /// Adds partitions that were assigned.
    func begin(_ count: Int) { partitions.add(count, ordering: .relaxed) }

    /// Removes a partition that has no remaining work.
    func end() { partitions.subtract(1, ordering: .relaxed) }

    /// Returns the number of records and bytes that a partition may read now. One half of the remaining share limits
    /// the overhead of the records, the other half their bytes.
    func room(besides records: Int, bytes: Int) -> PartitionWindow.Room {
        let share = total / max(1, partitions.load(ordering: .relaxed))
        let left = max(0, share - bytes - records * recordBytes)
        return PartitionWindow.Room(
            records: max(left / 2 / recordBytes, minimumRecords - records, 0), bytes: max(left / 2, 1))
    }
}
