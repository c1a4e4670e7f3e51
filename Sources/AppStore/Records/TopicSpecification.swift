public import AppStoreModel
public import KafkaModel

/// The configuration of one of the pipeline's topics, as plain values for code that creates, checks or simulates the
/// topic.
public struct TopicSpecification: Hashable, Sendable {
    /// How Kafka removes old records from a topic.
    public enum Cleanup: Hashable, Sendable {
        /// Records are deleted after this number of days.
        case delete(afterDays: Int)
        /// The last record for each key remains indefinitely, and every record remains for at least `afterDays`. A
        /// record replaced by a later one with the same key is removed within `withinDays`.
        case compact(afterDays: Int = 0, withinDays: Int? = nil)
    }

    public let name: KafkaTopic
    /// The number of partitions. It is permanent for keyed topics, because changing it would split the records for a
    /// key between two partitions.
    public let partitions: Int
    public let cleanup: Cleanup
    /// Whether consumers depend on each key being in one partition. If so, the number of partitions cannot change.
    public let isKeyed: Bool

    init(name: KafkaTopic, partitions: Int, cleanup: Cleanup, isKeyed: Bool = true) {
        self.name = name
        self.partitions = partitions
        self.cleanup = cleanup
        self.isKeyed = isKeyed
    }

    /// Returns the compacted topic for a third-party consumer's keyed state. Every record remains for at least a day,
    /// so that compaction does not remove a proposal before the owner has republished it. Erased data is removed within
    /// the same period as in Sluice's own topics.
    public static func state(_ name: KafkaTopic, partitions: Int) -> TopicSpecification {
        TopicSpecification(
            name: name, partitions: partitions, cleanup: .compact(afterDays: 1, withinDays: erasureDays))
    }

    /// The topic settings, keyed by Kafka name.
    public var settings: [String: String] {
        var settings = ["max.message.bytes": String(Self.maximumMessageBytes)]
        switch cleanup {
        case .delete(let days):
            settings["cleanup.policy"] = "delete"
            settings["retention.ms"] = Self.milliseconds(days)
        case .compact(let days, let bound):
            settings["cleanup.policy"] = "compact"
            settings["delete.retention.ms"] = Self.milliseconds(Self.tombstoneDays)
            // Erasures depend on timestamps, so brokers must keep the writers' timestamps instead of setting their own.
            settings["message.timestamp.type"] = "CreateTime"
            if days > 0 { settings["min.compaction.lag.ms"] = Self.milliseconds(days) }
            if let bound {
                settings["max.compaction.lag.ms"] = Self.milliseconds(bound)
                settings["segment.ms"] = Self.milliseconds(1)
            }
        }
        return settings
    }

    /// The expectation that a process checks at startup.
    public var expectation: KafkaTopicExpectation { KafkaTopicExpectation(topic: name, createdWith: settings) }

    private static func milliseconds(_ days: Int) -> String { String(Int64(days) * 86_400_000) }

    /// The maximum message size. It suffices for the largest body that the ingress accepts, both decoded and as
    /// received, with the headers.
    public static let maximumMessageBytes = 1_048_588
    /// The default number of partitions for keyed topics.
    public static let defaultPartitions = 12

    /// The retention of notification topics in days.
    public static let notificationDays = 30
    /// The minimum retention of tombstones in days. It is longer than the retention of the notifications that they
    /// erase, so that reading the notifications again does not restore erased data.
    public static let tombstoneDays = 45
    /// The number of days within which a replaced or erased record must be removed from a topic with personal data.
    public static let erasureDays = 7
    /// The retention of quarantined notifications and dead letters in days.
    static let quarantineDays = 90
    /// The retention of the archive's checkpoints in days. The last checkpoint of each log is retained longer.
    static let checkpointDays = 400
    /// The retention of operator events in days.
    static let operatorEventDays = 30
}

extension TopicNames {
    /// Returns the notification topics.
    public func notifications(partitions: Int = TopicSpecification.defaultPartitions) -> [TopicSpecification] {
        AppStoreEnvironment.published.map {
            TopicSpecification(
                name: notifications($0), partitions: partitions,
                cleanup: .delete(afterDays: TopicSpecification.notificationDays))
        }
    }

    /// Returns the topics to which the ingress writes: notification topics, quarantine, and certificates.
    public func ingress(partitions: Int = TopicSpecification.defaultPartitions) -> [TopicSpecification] {
        notifications(partitions: partitions) + [
            TopicSpecification(
                name: quarantine, partitions: 1, cleanup: .delete(afterDays: TopicSpecification.quarantineDays),
                isKeyed: false),
            TopicSpecification(name: certificates, partitions: 1, cleanup: .compact(), isKeyed: false),
        ]
    }

    /// Returns the dead letter topics of a consumer group that reads the notification topics.
    public func deadLetters(
        of group: String, partitions: Int = TopicSpecification.defaultPartitions
    ) -> [TopicSpecification] {
        deadLetters(of: group, reading: notifications, partitions: partitions)
    }

    /// Returns the dead letter topics of a consumer group that reads one topic per environment.
    ///
    /// - Parameter input: the topic for an environment, such as ``entitlements(_:)``.
    public func deadLetters(
        of group: String, reading input: (AppStoreEnvironment) -> KafkaTopic,
        partitions: Int = TopicSpecification.defaultPartitions
    ) -> [TopicSpecification] {
        AppStoreEnvironment.published.map {
            TopicSpecification(
                name: input($0).deadLetters(of: group), partitions: partitions,
                cleanup: .delete(afterDays: TopicSpecification.quarantineDays))
        }
    }

    /// Returns the compacted topics for entitlements, refunds, refund preferences and reconciliation.
    public func state(partitions: Int = TopicSpecification.defaultPartitions) -> [TopicSpecification] {
        AppStoreEnvironment.published.map {
            TopicSpecification(
                name: entitlements($0), partitions: partitions,
                cleanup: .compact(withinDays: TopicSpecification.erasureDays))
        }
            + AppStoreEnvironment.published.map {
                // The compaction lag keeps a proposal until the owner has republished it, even if a later proposal
                // follows.
                TopicSpecification(
                    name: refunds($0), partitions: partitions,
                    cleanup: .compact(afterDays: 1, withinDays: TopicSpecification.erasureDays))
            }
            // This topic has a single partition, because any producer may write to it with any partitioner.
            + [
                TopicSpecification(
                    name: refundPreferences, partitions: 1,
                    cleanup: .compact(withinDays: TopicSpecification.erasureDays), isKeyed: false)
            ]
            + AppStoreEnvironment.published.map {
                TopicSpecification(name: reconciliation($0), partitions: partitions, cleanup: .compact())
            }
    }

    /// The topics that the archive reads or writes in addition to the other services' topics.
    public var archive: [TopicSpecification] {
        [
            TopicSpecification(name: erasures, partitions: 1, cleanup: .compact(), isKeyed: false),
            // Two hosts may create keys for one subject at the same time. Both records remain until a record with both
            // keys follows.
            TopicSpecification(
                name: archiveKeys, partitions: 1,
                cleanup: .compact(afterDays: 1, withinDays: TopicSpecification.erasureDays), isKeyed: false),
            TopicSpecification(
                name: archiveCheckpoints, partitions: 1,
                cleanup: .compact(afterDays: TopicSpecification.checkpointDays), isKeyed: false),
            TopicSpecification(
                name: archiveDeadLetters, partitions: 1, cleanup: .delete(afterDays: TopicSpecification.quarantineDays),
                isKeyed: false),
        ]
    }

    /// The topic from which every consumer learns whether its group is paused.
    public var controlTopic: TopicSpecification {
        TopicSpecification(name: control, partitions: 1, cleanup: .compact(), isKeyed: false)
    }

    /// The topic to which every member may publish operator events.
    public var operationsTopic: TopicSpecification {
        TopicSpecification(
            name: operations, partitions: 1, cleanup: .delete(afterDays: TopicSpecification.operatorEventDays),
            isKeyed: false)
    }

    /// Returns the dead letter topic of a consumer group that reads operator events.
    package func operatorEventDeadLetters(of group: String) -> TopicSpecification {
        TopicSpecification(
            name: operations.deadLetters(of: group), partitions: 1,
            cleanup: .delete(afterDays: TopicSpecification.quarantineDays), isKeyed: false)
    }

    /// Returns the dead letter topics of Sluice's own consumers except the archive.
    public func deadLetters(partitions: Int = TopicSpecification.defaultPartitions) -> [TopicSpecification] {
        TopicNames.consumerGroups.flatMap { deadLetters(of: $0, partitions: partitions) }
            + deadLetters(of: TopicNames.webhooksGroup, reading: entitlements, partitions: partitions)
    }

    /// Returns all topics of an installation, including the dead letter topics of Sluice's own consumers.
    public func specifications(partitions: Int = TopicSpecification.defaultPartitions) -> [TopicSpecification] {
        ingress(partitions: partitions) + state(partitions: partitions) + archive
            + [controlTopic, operationsTopic] + deadLetters(partitions: partitions)
    }

    /// Returns the expectations for these topics, in this order. Topics of an installation's own consumers are omitted.
    package func expectations(of topics: [KafkaTopic]) -> [KafkaTopicExpectation] {
        let specifications = specifications()
        return topics.compactMap { topic in specifications.first { $0.name == topic }?.expectation }
    }

    /// The consumer groups of the executables that read the notification topics. The names of dead letter topics
    /// contain the group.
    public static let consumerGroups = ["sluice-entitlements", "sluice-refunds", "sluice-reconciler"]
    /// The consumer group that reads the entitlement topics.
    public static let webhooksGroup = "sluice-webhooks"
    /// The consumer group of the archive.
    public static let archiveGroup = "sluice-archive"
}
