internal import ArchiveLog

/// What one anchor has, and how long it has been behind. A value without a clock.
struct AnchorSchedule: Sendable {
    private struct Entry {
        var anchored = 0
        /// Monotonic nanoseconds: since when there is a checkpoint that is not anchored.
        var waitingSince: UInt64?
    }

    private var entries: [LogNames: Entry] = [:]

    /// Forgets the logs that another member owns now.
    mutating func keep(_ logs: [LogNames]) {
        let owned = Set(logs)
        entries = entries.filter { owned.contains($0.key) }
    }

    /// Whether a checkpoint of so many leaves is to be anchored.
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

    /// For how long the log that has waited longest has been behind, in nanoseconds.
    func behind(now: UInt64) -> UInt64 {
        entries.values.compactMap(\.waitingSince).map { now > $0 ? now - $0 : 0 }.max() ?? 0
    }
}
