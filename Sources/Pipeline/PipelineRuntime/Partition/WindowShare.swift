internal import Synchronization

/// How much memory the unfinished records of one partition may take: a total, divided by the partitions that are
/// assigned, so that the memory of a member does not grow with their number.
final class WindowShare: Sendable {
    /// The cost of a record of a ``RecordHandler`` beside its bytes: a task with the frames of a handler that waits, and
    /// the timer of its next attempt. Measured with `sluice-webhooks` and a receiver that is down.
    static var taskBytes: Int { 12 << 10 }
    /// The cost of a record of a batch beside its bytes.
    static var entryBytes: Int { 512 }

    /// The cost of each record beside its bytes.
    let recordBytes: Int
    /// So many records a partition may have whatever its share is.
    let minimumRecords: Int
    private let total: Int
    private let partitions = Atomic(0)

    /// - Parameter total: bytes of all partitions together.
    init(total: Int, recordBytes: Int, minimumRecords: Int) {
        self.total = max(0, total)
        self.recordBytes = max(1, recordBytes)
        self.minimumRecords = max(1, minimumRecords)
    }

    /// Partitions were assigned.
    func begin(_ count: Int) { partitions.add(count, ordering: .relaxed) }

    /// Nothing of a partition runs any more.
    func end() { partitions.subtract(1, ordering: .relaxed) }

    /// The records and bytes that a partition may read now: each half of the rest, so that both stay within it.
    func room(besides records: Int, bytes: Int) -> PartitionWindow.Room {
        let share = total / max(1, partitions.load(ordering: .relaxed))
        let left = max(0, share - bytes - records * recordBytes)
        return PartitionWindow.Room(
            records: max(left / 2 / recordBytes, minimumRecords - records, 0), bytes: max(left / 2, 1))
    }
}
