/// Tracks which of a partition's offsets may be committed: those in the contiguous prefix of finished records.
///
/// A value type without I/O. Records are admitted in ascending offset order. Gaps between offsets (compaction,
/// transaction markers) are skipped. `nextOffset` is never greater than the offset of an unfinished record.
struct OffsetTracker: Sendable {
    private struct Entry {
        let offset: Int64
        /// One past the offset of the record admitted before this one.
        let previousNext: Int64
        let bytes: Int
        let timestampMilliseconds: Int64?
        let admittedAt: Int64
        var isFinished: Bool
    }

    /// The admitted records, starting with the oldest unfinished one. Finished records before it are dropped in bulk,
    /// so memory is bounded by the number of unfinished records rather than by the distance between their offsets.
    private var entries: [Entry] = []
    /// The number of finished records in `entries`, starting at `head`.
    private var finishedCount = 0
    /// The index in `entries` of the oldest unfinished record, or `entries.count` if there is none. Entries before it
    /// are freed in bulk.
    private var head = 0

    /// The number of admitted but unfinished records.
    private(set) var unfinishedCount = 0
    /// The total size in bytes of the admitted but unfinished records.
    private(set) var unfinishedBytes = 0
    /// The offset to commit: one past the newest record of the finished prefix, or nil while that prefix is empty.
    private(set) var nextOffset: Int64?
    private var newest: Int64?
    /// The Kafka timestamp of the newest admitted record, in milliseconds since 1970, or nil if the record has none.
    private(set) var newestTimestampMilliseconds: Int64?

    /// The difference between the offsets of the newest admitted record and the oldest unfinished one, or 0 if nothing
    /// is unfinished.
    var distance: Int64 {
        guard let oldest = entries[head...].first, let newest else { return 0 }
        return newest.subtractingReportingOverflow(oldest.offset).partialValue
    }

    /// The Kafka timestamp of the oldest unfinished record, in milliseconds since 1970, or nil if there is none.
    var oldestTimestampMilliseconds: Int64? {
        entries[head...].first?.timestampMilliseconds
    }

    /// The time at which the oldest unfinished record was admitted, on the clock used with `admit`, or nil if there is
    /// none.
    var oldestAdmittedAt: Int64? {
        entries[head...].first?.admittedAt
    }

    /// The offset of the oldest unfinished record, or nil if there is none.
    var oldestOffset: Int64? {
        entries[head...].first?.offset
    }

    /// Adds a record that is about to be handled.
    ///
    /// - Parameters:
    ///   - bytes: the size of the record, which counts against the window.
    ///   - timestampMilliseconds: the Kafka timestamp, in milliseconds since 1970.
    ///   - now: the current time in monotonic nanoseconds.
    /// - Returns: false, without changing anything, if the offset is invalid or not greater than all admitted offsets.
    mutating func admit(offset: Int64, bytes: Int, timestampMilliseconds: Int64? = nil, at now: Int64 = 0) -> Bool {
        guard offset >= 0, offset < .max, offset > newest ?? -1, bytes >= 0 else { return false }
        let previousNext = newest.map { $0 + 1 } ?? offset
        newest = offset
        newestTimestampMilliseconds = timestampMilliseconds
        unfinishedCount += 1
        unfinishedBytes += bytes
        entries.append(
            Entry(
                offset: offset, previousNext: previousNext, bytes: bytes,
                timestampMilliseconds: timestampMilliseconds, admittedAt: now, isFinished: false))
        return true
    }

    /// Marks a record as finished because its effect or its dead letter is durable.
    ///
    /// - Returns: the new `nextOffset` if the finished prefix grew, or nil if an older record is unfinished or the
    ///   offset is unknown or already finished.
    mutating func finish(offset: Int64) -> Int64? {
        guard let index = index(of: offset), !entries[index].isFinished else { return nil }
        entries[index].isFinished = true
        unfinishedCount -= 1
        unfinishedBytes -= entries[index].bytes
        finishedCount += 1
        guard index == head else {
            dropFinished()
            return nil
        }
        while head < entries.count, entries[head].isFinished {
            head += 1
            finishedCount -= 1
        }
        // All records before the oldest unfinished one are finished, including those already dropped.
        nextOffset = head < entries.count ? entries[head].previousNext : newest.map { $0 + 1 }
        if head == entries.count {
            entries.removeAll(keepingCapacity: true)
            head = 0
        } else if head > 1024, head > entries.count / 2 {
            entries.removeFirst(head)
            head = 0
        }
        return nextOffset
    }

    /// The number of records in memory, whether finished or not.
    var heldCount: Int { entries.count - head }

    private mutating func dropFinished() {
        guard finishedCount > 1024, finishedCount > heldCount / 2 else { return }
        entries.removeFirst(head)
        head = 0
        entries.removeAll { $0.isFinished }
        finishedCount = 0
    }

    private func index(of offset: Int64) -> Int? {
        var low = head
        var high = entries.count
        while low < high {
            let middle = low + (high - low) / 2
            if entries[middle].offset < offset { low = middle + 1 } else { high = middle }
        }
        return low < entries.count && entries[low].offset == offset ? low : nil
    }
}
