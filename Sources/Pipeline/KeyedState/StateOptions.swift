public import Kafka

/// What a keyed state is made of.
public struct StateOptions: Sendable {
    /// Which partitions a member follows, and what for.
    public enum Role: String, Sendable, CaseIterable {
        /// Owns partitions of the group, follows all, serves reads.
        case all
        /// Owns partitions of the group, follows those and ``StateOptions/standbys`` others, serves no reads.
        case worker
        /// Is in no group, follows all partitions, serves reads.
        case reader
    }

    /// The database's file; its directory exists.
    public var path: String
    /// The state's topic of each input topic: equal partition counts, and a key's partition by murmur2.
    public var topics: [KafkaTopic: KafkaTopic]
    public var role: Role = .all
    /// How many partitions a worker follows beside its own, so that it takes them over sooner.
    public var standbys = 0
    /// Rows of a partition that are published again each second when ``StateModel/fingerprint`` has changed.
    public var republishRate = 500
    /// More records behind its topic, and the state is not ready.
    public var maximumLag: Int64 = 100_000
    /// Longer behind its topic without applying anything, and the state is not ready.
    public var maximumStall: Duration = .seconds(30)
    /// No value should be larger, in bytes: one that is, is published all the same, counted and logged.
    public var largeValue = 8 << 10
    /// Tombstones are kept at least so long (`delete.retention.ms`): a file that missed more is rebuilt.
    public var tombstoneRetention: Duration = .seconds(20 * 3_600)
    /// What the group has read, for the check on assignment that it is not forgotten; nil for none.
    public var history: StateHistory?
    /// How often the log tells what is left of a restore.
    public var progressInterval: Duration = .seconds(5)
    /// How often the owner looks for what is due or behind.
    public var tick: Duration = .seconds(1)
    /// Encoded rows that are kept in memory, in bytes; decoded they are about four times as large.
    public var cacheBytes = 3 << 20
    /// Told when a partition of the input is ready, before its first record; work on its rows may begin.
    public var assigned: @Sendable (KafkaTopicPartition) async -> Void = { _ in }
    /// Told when a partition of the input is revoked; work on its rows must end before this returns.
    public var revoked: @Sendable (KafkaTopicPartition) async -> Void = { _ in }

    public init(path: String, topics: [KafkaTopic: KafkaTopic]) {
        self.path = path
        self.topics = topics
    }
}
