internal import Synchronization

/// Limits the memory of one partition's unfinished records: a total divided by the number of assigned partitions, so
/// that a member's memory does not grow with that number.
final class WindowShare: Sendable {
    /// The cost of a record of a ``RecordHandler`` in addition to its bytes: a task with the frames of a waiting
    /// handler, and the timer of its next attempt. Measured with `sluice-webhooks` and a receiver that is down.
    static var taskBytes: Int { 12 << 10 }
    /// The cost of a record of a batch in addition to its bytes.
    static var entryBytes: Int { 512 }

    /// The cost of each record in addition to its bytes.
    let recordBytes: Int
    /// Number of records a partition may have regardless of its share.
    let minimumRecords: Int
    private let total: Int
    private let partitions = Atomic(0)

    /// - Parameter total: limit of all partitions together, in bytes.
    init(total: Int, recordBytes: Int, minimumRecords: Int) {
        self.total = max(0, total)
        self.recordBytes = max(1, recordBytes)
        self.minimumRecords = max(1, minimumRecords)
    }

    /// Adds partitions that were assigned.
    func begin(_ count: Int) { partitions.add(count, ordering: .relaxed) }

    /// Removes a partition that has no remaining work.
    func end() { partitions.subtract(1, ordering: .relaxed) }

    /// Returns the records and bytes that a partition may read now: half of the remaining share for each, so that both
    /// together stay within it.
    func room(besides records: Int, bytes: Int) -> PartitionWindow.Room {
        let share = total / max(1, partitions.load(ordering: .relaxed))
        let left = max(0, share - bytes - records * recordBytes)
        return PartitionWindow.Room(
            records: max(left / 2 / recordBytes, minimumRecords - records, 0), bytes: max(left / 2, 1))
    }
}
