internal import ArchiveLog

/// The anchored sizes of one anchor, and how long it has been behind. A value without a clock.
struct AnchorSchedule: Sendable {
    private struct Entry {
        var anchored = 0
        /// Time since which a checkpoint has been waiting to be anchored, in monotonic nanoseconds.
        var waitingSince: UInt64?
    }

    private var entries: [LogNames: Entry] = [:]

    /// Removes the logs that another member owns now.
    mutating func keep(_ logs: [LogNames]) {
        let owned = Set(logs)
        entries = entries.filter { owned.contains($0.key) }
    }

    /// Whether a checkpoint of `size` leaves is due to be anchored.
    mutating func isDue(_ log: LogNames, size: Int, now: UInt64) -> Bool {
        var entry = entries[log] ?? Entry()
        let isDue = size > 0 && size != entry.anchored
        entry.waitingSince = isDue ? entry.waitingSince ?? now : nil
        entries[log] = entry
        return isDue
    }

    mutating func anchored(_ log: LogNames, size: Int) {
        entries[log] = Entry(anchored: size, waitingSince: nil)
    }

    /// How long the log that has waited longest has been behind, in nanoseconds.
    func behind(now: UInt64) -> UInt64 {
        entries.values.compactMap(\.waitingSince).map { now > $0 ? now - $0 : 0 }.max() ?? 0
    }
}
