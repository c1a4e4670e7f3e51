public import AppStoreModel
public import KafkaModel

/// How a topic of the pipeline is made: plain values, for whoever creates, checks or imitates it.
public struct TopicSpecification: Hashable, Sendable {
    /// How Kafka removes old records of a topic.
    public enum Cleanup: Hashable, Sendable {
        /// Records are deleted after so many days.
        case delete(afterDays: Int)
        /// The last record of each key stays indefinitely, and every record for at least so many days. What a later record
        /// of its key replaced goes within so many days.
        case compact(afterDays: Int = 0, withinDays: Int? = nil)
    }

    public let name: KafkaTopic
    /// For keyed topics this is permanent: another number would put a key's records into two partitions.
    public let partitions: Int
    public let cleanup: Cleanup
    /// Whether consumers rely on a key being in one partition, so that the number of partitions cannot change.
    public let isKeyed: Bool

    init(name: KafkaTopic, partitions: Int, cleanup: Cleanup, isKeyed: Bool = true) {
        self.name = name
        self.partitions = partitions
        self.cleanup = cleanup
        self.isKeyed = isKeyed
    }

    /// The compacted topic of a state by key, of a consumer of one's own: proposals hold for a day at least, and what was
    /// erased is gone as soon as from Sluice's own.
    public static func state(_ name: KafkaTopic, partitions: Int) -> TopicSpecification {
        TopicSpecification(
            name: name, partitions: partitions, cleanup: .compact(afterDays: 1, withinDays: erasureDays))
    }

    /// The settings that Kafka's tools know, by their names.
    public var settings: [String: String] {
        var settings = ["max.message.bytes": String(Self.maximumMessageBytes)]
        switch cleanup {
        case .delete(let days):
            settings["cleanup.policy"] = "delete"
            settings["retention.ms"] = Self.milliseconds(days)
        case .compact(let days, let bound):
            settings["cleanup.policy"] = "compact"
            settings["delete.retention.ms"] = Self.milliseconds(Self.tombstoneDays)
            // Timestamps say until when an erasure holds: those of the writers, not of the brokers.
            settings["message.timestamp.type"] = "CreateTime"
            if days > 0 { settings["min.compaction.lag.ms"] = Self.milliseconds(days) }
            if let bound {
                settings["max.compaction.lag.ms"] = Self.milliseconds(bound)
                settings["segment.ms"] = Self.milliseconds(1)
            }
        }
        return settings
    }

    private static func milliseconds(_ days: Int) -> String { String(Int64(days) * 86_400_000) }

    /// Enough for the largest body that the ingress takes, decoded and as received, and its headers.
    public static let maximumMessageBytes = 1_048_588
    /// Partitions of keyed topics unless an installation chose another number.
    public static let defaultPartitions = 12

    /// Days that a notification stays in its topic.
    public static let notificationDays = 30
    /// Days that a tombstone of a compacted topic stays at least: longer than the notifications that it erases, so
    /// that these read again do not bring back what was erased.
    public static let tombstoneDays = 45
    /// Days after which what a later record of its key replaced or erased is gone from a topic with personal data.
    public static let erasureDays = 7
    /// Days that a quarantined notification or a dead letter stays.
    static let quarantineDays = 90
    /// Days that every checkpoint of the archive stays; of each log the last one stays longer.
    static let checkpointDays = 400
}

extension TopicNames {
    /// The notification topics.
    public func notifications(partitions: Int = TopicSpecification.defaultPartitions) -> [TopicSpecification] {
        AppStoreEnvironment.published.map {
            TopicSpecification(
                name: notifications($0), partitions: partitions,
                cleanup: .delete(afterDays: TopicSpecification.notificationDays))
        }
    }

    /// What the ingress writes: the notification topics, quarantine, and certificates.
    public func ingress(partitions: Int = TopicSpecification.defaultPartitions) -> [TopicSpecification] {
        notifications(partitions: partitions) + [
            TopicSpecification(
                name: quarantine, partitions: 1, cleanup: .delete(afterDays: TopicSpecification.quarantineDays),
                isKeyed: false),
            TopicSpecification(name: certificates, partitions: 1, cleanup: .compact(), isKeyed: false),
        ]
    }

    /// What a consumer group that reads the notification topics needs beside them: its dead letter topics.
    public func deadLetters(
        of group: String, partitions: Int = TopicSpecification.defaultPartitions
    ) -> [TopicSpecification] {
        deadLetters(of: group, reading: notifications, partitions: partitions)
    }

    /// The dead letter topics of a consumer group that reads one topic of each environment.
    ///
    /// - Parameter input: the topic of an environment, such as ``entitlements(_:)``.
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

    /// The compacted topics.
    public func state(partitions: Int = TopicSpecification.defaultPartitions) -> [TopicSpecification] {
        AppStoreEnvironment.published.map {
            TopicSpecification(
                name: entitlements($0), partitions: partitions,
                cleanup: .compact(withinDays: TopicSpecification.erasureDays))
        }
            + AppStoreEnvironment.published.map {
                // A proposal is not lost to a later one before the owner has published it again.
                TopicSpecification(
                    name: refunds($0), partitions: partitions,
                    cleanup: .compact(afterDays: 1, withinDays: TopicSpecification.erasureDays))
            }
            // One partition: any producer may write it, whatever partitioner it has.
            + [
                TopicSpecification(
                    name: refundPreferences, partitions: 1,
                    cleanup: .compact(withinDays: TopicSpecification.erasureDays), isKeyed: false)
            ]
            + AppStoreEnvironment.published.map {
                TopicSpecification(name: reconciliation($0), partitions: partitions, cleanup: .compact())
            }
    }

    /// What the archive reads or writes beside the topics of others.
    public var archive: [TopicSpecification] {
        [
            TopicSpecification(name: erasures, partitions: 1, cleanup: .compact(), isKeyed: false),
            // Two hosts may make keys of one subject at once: both records are there until one that has both follows.
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

    /// The dead letter topics of the consumers that come with Sluice, but for the archive's own.
    public func deadLetters(partitions: Int = TopicSpecification.defaultPartitions) -> [TopicSpecification] {
        TopicNames.consumerGroups.flatMap { deadLetters(of: $0, partitions: partitions) }
            + deadLetters(of: TopicNames.webhooksGroup, reading: entitlements, partitions: partitions)
    }

    /// Every topic of an installation, the dead letters of its own consumers included.
    public func specifications(partitions: Int = TopicSpecification.defaultPartitions) -> [TopicSpecification] {
        ingress(partitions: partitions) + state(partitions: partitions) + archive
            + deadLetters(partitions: partitions)
    }

    /// The consumer groups of Sluice's own executables that read the notification topics; part of the names of their
    /// dead letter topics.
    public static let consumerGroups = ["sluice-entitlements", "sluice-refunds", "sluice-reconciler"]
    /// The group that reads the entitlement topics.
    public static let webhooksGroup = "sluice-webhooks"
    /// The group that archives.
    public static let archiveGroup = "sluice-archive"
}
