internal import Kafka

/// What one anchor has, and how long it has been behind. A value without a clock.
struct AnchorSchedule: Sendable {
    private struct Entry {
        var anchored = 0
        /// Monotonic nanoseconds: since when there is a checkpoint that is not anchored.
        var waitingSince: UInt64?
    }

    private var entries: [KafkaTopicPartition: Entry] = [:]

    /// Forgets the logs that another member owns now.
    mutating func keep(_ partitions: [KafkaTopicPartition]) {
        let owned = Set(partitions)
        entries = entries.filter { owned.contains($0.key) }
    }

    /// Whether a checkpoint of so many leaves is to be anchored.
    mutating func isDue(_ partition: KafkaTopicPartition, size: Int, now: UInt64) -> Bool {
        var entry = entries[partition] ?? Entry()
        let isDue = size > 0 && size != entry.anchored
        entry.waitingSince = isDue ? entry.waitingSince ?? now : nil
        entries[partition] = entry
        return isDue
    }

    mutating func anchored(_ partition: KafkaTopicPartition, size: Int) {
        entries[partition] = Entry(anchored: size, waitingSince: nil)
    }

    /// For how long the log that has waited longest has been behind, in nanoseconds.
    func behind(now: UInt64) -> UInt64 {
        entries.values.compactMap(\.waitingSince).map { now > $0 ? now - $0 : 0 }.max() ?? 0
    }
}
