internal import Kafka

/// Whether the reader of a state's topics is connected, advances, and can write. Times are monotonic milliseconds.
struct StateHealth: Sendable {
    /// Statistics come every few seconds (at most every 15 s); after this long without any, the client's threads are
    /// stuck and only a restart helps.
    static let longestSilence: Int64 = 60_000

    /// Time of the last statistics, or of the start; nil before the start.
    var lastSign: Int64?
    /// Brokers to which the reader is connected; nil before the first statistics.
    var brokersUp: Int?
    /// Partitions whose last write to the database failed.
    private(set) var unwritten: Set<KafkaTopicPartition> = []
    /// Partitions that are behind their topic, with the time since which nothing was applied.
    private var waiting: [KafkaTopicPartition: Int64] = [:]

    /// Notes how a write to the database ended.
    mutating func wrote(_ place: KafkaTopicPartition, failed: Bool) {
        if failed { unwritten.insert(place) } else { unwritten.remove(place) }
    }

    /// The partition was applied up to an offset.
    mutating func advanced(_ place: KafkaTopicPartition, isBehind: Bool, at now: Int64) {
        waiting[place] = isBehind ? now : nil
    }

    /// A newer end of the partition is known.
    mutating func sawEnd(of place: KafkaTopicPartition, isBehind: Bool, at now: Int64) {
        waiting[place] = isBehind ? waiting[place] ?? now : nil
    }

    /// The partition is not read any more.
    mutating func forget(_ place: KafkaTopicPartition) {
        unwritten.remove(place)
        waiting[place] = nil
    }

    /// How long nothing was applied of the partition that waits longest, in milliseconds.
    func stalled(at now: Int64) -> Int64 { waiting.values.min().map { max(0, now - $0) } ?? 0 }

    /// False asks for a restart.
    func isLive(at now: Int64) -> Bool { lastSign.map { now - $0 < Self.longestSilence } ?? true }

    /// Why reads may miss what the topic holds; nil for no reason.
    ///
    /// - Parameter limit: of ``stalled(at:)``.
    func obstacle(at now: Int64, limit: Int64) -> String? {
        if let place = unwritten.min(by: { $0.description < $1.description }) {
            return "\(place) of the state cannot be written to the database"
        }
        let stalled = stalled(at: now)
        return stalled > limit ? "the state is behind its topic, and nothing was applied for \(stalled / 1_000) s" : nil
    }

    /// Why newer records could not be read; nil for no reason.
    func disconnection(at now: Int64) -> String? {
        if !isLive(at: now) { return "the reader of the state's topics is silent" }
        return brokersUp == 0 ? "the reader of the state's topics is connected to no broker" : nil
    }
}
