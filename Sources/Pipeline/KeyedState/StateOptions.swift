public import Kafka

/// Options of a keyed state.
public struct StateOptions: Sendable {
    /// The partitions that a member follows, and its purpose.
    public enum Role: String, Sendable, CaseIterable {
        /// Owns partitions of the group, follows all partitions, serves reads.
        case all
        /// Owns partitions of the group, follows them and ``StateOptions/standbys`` others, serves no reads.
        case worker
        /// Is in no group, follows all partitions, serves reads.
        case reader
    }

    /// Path of the database; its directory exists.
    public var path: String
    /// The state's topic of each input topic. Both have the same partition count, and murmur2 chooses a key's
    /// partition.
    public var topics: [KafkaTopic: KafkaTopic]
    public var role: Role = .all
    /// Number of partitions a worker follows as a standby, so that it can take them over sooner.
    public var standbys = 0
    /// Number of rows of a partition republished per second after ``StateModel/fingerprint`` has changed.
    public var republishRate = 500
    /// Lag in records above which the state is not ready.
    public var maximumLag: Int64 = 100_000
    /// Longest time behind its topic without applying anything; after that the state is not ready.
    public var maximumStall: Duration = .seconds(30)
    /// Size in bytes above which a published value is counted and logged; it is published nevertheless.
    public var largeValue = 8 << 10
    /// Minimum time for which tombstones are kept (`delete.retention.ms`); a file that missed more is rebuilt.
    public var tombstoneRetention: Duration = .seconds(20 * 3_600)
    /// The input read by the group, to check on assignment that its state is not lost; nil for no check.
    public var history: StateHistory?
    /// Interval at which the remainder of a restore is logged.
    public var progressInterval: Duration = .seconds(5)
    /// Interval at which the owner looks for rows that are due or behind.
    public var tick: Duration = .seconds(1)
    /// Size in bytes of the encoded rows that are cached in memory; decoded they are about four times as large.
    public var cacheBytes = 3 << 20
    /// Called when a partition of the input is ready, before its first record; work on its rows may begin.
    public var assigned: @Sendable (KafkaTopicPartition) async -> Void = { _ in }
    /// Called when a partition of the input is revoked; work on its rows must end before this returns.
    public var revoked: @Sendable (KafkaTopicPartition) async -> Void = { _ in }

    public init(path: String, topics: [KafkaTopic: KafkaTopic]) {
        self.path = path
        self.topics = topics
    }
}
