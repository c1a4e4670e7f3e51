import Kafka

/// The facts about a member's reader that its readiness must reflect. Times are milliseconds.
struct ReaderFacts {
    /// The partitions with a last write that failed.
    private(set) var unwritten: Set<KafkaTopicPartition> = []
    /// The end of each partition that the member has learned from the brokers.
    private var ends: [KafkaTopicPartition: Int64] = [:]
    /// The time since which a partition has been behind its end without progress.
    private var waiting: [KafkaTopicPartition: Int64] = [:]

    mutating func wrote(_ place: KafkaTopicPartition, failed: Bool) {
        if failed { unwritten.insert(place) } else { unwritten.remove(place) }
    }

    mutating func learned(_ end: Int64, of place: KafkaTopicPartition, position: Int64, at now: Int64) {
        ends[place] = end
        waiting[place] = position < end ? waiting[place] ?? now : nil
    }

    mutating func reached(_ position: Int64, of place: KafkaTopicPartition, at now: Int64) {
        waiting[place] = position < ends[place] ?? 0 ? now : nil
    }

    /// Returns the reason why a member must not be ready; nil if there is none.
    ///
    /// - Parameters:
    ///   - position: returns the position up to which a partition is applied.
    ///   - lag: the maximum number of records that a ready member may be behind.
    ///   - stall: the maximum time that a ready member may be behind without progress.
    func obstacle(
        at now: Int64, position: (KafkaTopicPartition) -> Int64, lag: Int64, stall: Int64
    ) -> String? {
        for (place, end) in ends.sorted(by: { SimulatedProducer.precedes($0.key, $1.key) }) {
            if unwritten.contains(place) { return "a write of \(place) has failed" }
            let behind = end - position(place)
            if behind > lag { return "\(place) is \(behind) records behind" }
            if let since = waiting[place], now - since > stall {
                return "\(place) is behind without progress for \(now - since) ms"
            }
        }
        return nil
    }
}
