internal import Kafka

/// Tracks whether the reader of a state's topics is connected, is making progress and can write. Times are monotonic
/// milliseconds.
struct StateHealth: Sendable {
    /// The maximum time without statistics. They arrive every few seconds, and at least every 15 s. After this time,
    /// the client's threads are considered stuck, and only a restart helps.
    static let longestSilence: Int64 = 60_000

    /// Time of the last statistics, or of startup; nil before startup.
    var lastSign: Int64?
    /// Number of brokers that the reader is connected to; nil before the first statistics.
    var brokersUp: Int?
    /// Partitions whose last database write failed.
    private(set) var unwritten: Set<KafkaTopicPartition> = []
    /// Time of the last progress of each partition that is behind its topic.
    private var waiting: [KafkaTopicPartition: Int64] = [:]

    /// Records the result of a write to the database.
    mutating func wrote(_ place: KafkaTopicPartition, failed: Bool) {
        if failed { unwritten.insert(place) } else { unwritten.remove(place) }
    }

    /// Updates the time of the partition's last progress after some of its records were applied.
    mutating func advanced(_ place: KafkaTopicPartition, isBehind: Bool, at now: Int64) {
        waiting[place] = isBehind ? now : nil
    }

    /// Records whether the partition is behind the end that a broker has reported.
    mutating func sawEnd(of place: KafkaTopicPartition, isBehind: Bool, at now: Int64) {
        waiting[place] = isBehind ? waiting[place] ?? now : nil
    }

    /// Drops a partition that is no longer being read.
    mutating func forget(_ place: KafkaTopicPartition) {
        unwritten.remove(place)
        waiting[place] = nil
    }

    /// Returns the longest time, in milliseconds, for which a partition that is behind its topic has made no progress.
    func stalled(at now: Int64) -> Int64 { waiting.values.min().map { max(0, now - $0) } ?? 0 }

    /// Returns whether the client is alive; if not, the process should be restarted.
    func isLive(at now: Int64) -> Bool { lastSign.map { now - $0 < Self.longestSilence } ?? true }

    /// Returns the reason why reads may be incomplete; nil if they are complete.
    ///
    /// - Parameter limit: the maximum permitted value of ``stalled(at:)``.
    func obstacle(at now: Int64, limit: Int64) -> String? {
        if let place = unwritten.min(by: { $0.description < $1.description }) {
            return "records from \(place) cannot be written to the database"
        }
        let stalled = stalled(at: now)
        return stalled > limit
            ? "the state is behind its topic, and nothing has been applied for \(stalled / 1_000) s" : nil
    }

    /// Returns the reason why newer records cannot be read; nil if they can.
    func disconnection(at now: Int64) -> String? {
        if !isLive(at: now) { return "the client that reads the state's topics is stuck" }
        return brokersUp == 0 ? "the client that reads the state's topics is not connected to any broker" : nil
    }
}
