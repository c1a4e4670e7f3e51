public import Kafka

/// Options of a keyed state.
public struct StateOptions: Sendable {
    /// A member's role, which determines the partitions that it follows.
    public enum Role: String, Sendable, CaseIterable {
        /// Owns partitions of the group, follows all partitions and serves reads.
        case all
        /// Owns partitions of the group, follows them and ``StateOptions/standbys`` other partitions, and serves no
        /// reads.
        case worker
        /// Joins no group, follows all partitions and serves reads.
        case reader
    }

    /// Path of the database; its directory must exist.
    public var path: String
    /// The state's topic for each input topic. Both have the same number of partitions, and murmur2 determines a key's
    /// partition.
    public var topics: [KafkaTopic: KafkaTopic]
    public var role: Role = .all
    /// Number of partitions that a worker follows as a standby, so that it can take them over sooner.
    public var standbys = 0
    /// Number of rows per partition that are republished per second after ``StateModel/fingerprint`` has changed.
    public var republishRate = 500
    /// Maximum lag, in records, at which the state is ready.
    public var maximumLag: Int64 = 100_000
    /// Maximum time that the state may be behind its topic without applying anything; after that, it is not ready.
    public var maximumStall: Duration = .seconds(30)
    /// Size in bytes above which a published value is counted and logged; it is still published.
    public var largeValue = 8 << 10
    /// Minimum tombstone retention (`delete.retention.ms`); a file that is out of date by more than this is rebuilt.
    public var tombstoneRetention: Duration = .seconds(20 * 3_600)
    /// The input read by the group, used to check on assignment that the state is not lost; nil disables the check.
    public var history: StateHistory?
    /// Interval at which restore progress is logged.
    public var progressInterval: Duration = .seconds(5)
    /// Interval at which the owner looks for rows that are due, or whose record in the topic is outdated.
    public var tick: Duration = .seconds(1)
    /// Size in bytes of the encoded rows cached in memory. Decoded, they are about four times as large.
    public var cacheBytes = 3 << 20
    /// Called when an input partition is ready, before its first record is handled. Work on its rows may begin.
    public var assigned: @Sendable (KafkaTopicPartition) async -> Void = { _ in }
    /// Called when an input partition is revoked. Work on its rows must end before this returns.
    public var revoked: @Sendable (KafkaTopicPartition) async -> Void = { _ in }

    public init(path: String, topics: [KafkaTopic: KafkaTopic]) {
        self.path = path
        self.topics = topics
    }
}
