internal import ArchiveLog

/// Tracks, for each log, the size of the last checkpoint that an anchor has accepted and how long the anchor has been
/// behind. Callers pass the current time.
struct AnchorSchedule: Sendable {
    private struct Entry {
        var anchored = 0
        /// The time at which a checkpoint began waiting for this anchor, in monotonic nanoseconds.
        var waitingSince: UInt64?
    }

    private var entries: [LogNames: Entry] = [:]

    /// Removes all logs except the given ones, because another member now owns the rest.
    mutating func keep(_ logs: [LogNames]) {
        let owned = Set(logs)
        entries = entries.filter { owned.contains($0.key) }
    }

    /// Returns whether a checkpoint of `size` leaves is due to be anchored.
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

    /// Returns how long the longest-waiting log has been behind, in nanoseconds.
    func behind(now: UInt64) -> UInt64 {
        entries.values.compactMap(\.waitingSince).map { now > $0 ? now - $0 : 0 }.max() ?? 0
    }
}
