/// A topic's expected properties; nil accepts any value.
public struct KafkaTopicExpectation: Hashable, Sendable {
    /// The topic.
    public var topic: KafkaTopic
    /// The number of partitions.
    public var partitions: Int?
    /// The minimum number of replicas.
    public var replicationFactor: Int?
    /// The minimum number of in-sync replicas required to acknowledge a record (`min.insync.replicas`).
    public var minInSyncReplicas: Int?
    /// Whether a replica that lacks records may become leader (`unclean.leader.election.enable`).
    public var uncleanLeaderElection: Bool?
    /// The size in bytes of the largest record batch that the topic must accept (`max.message.bytes`).
    public var maxMessageBytes: Int?
    /// `delete`, `compact`, or both separated by a comma (`cleanup.policy`).
    public var cleanupPolicy: String?
    /// The minimum retention of records in milliseconds (`retention.ms`). -1 means unlimited and always suffices.
    public var retentionMilliseconds: Int64?
    /// The minimum retention in milliseconds of a compacted topic's tombstones (`delete.retention.ms`).
    public var deleteRetentionMilliseconds: Int64?
    /// The minimum age in milliseconds at which records are compacted (`min.compaction.lag.ms`).
    public var compactionLagMilliseconds: Int64?
    /// The maximum age in milliseconds at which records are compacted (`max.compaction.lag.ms`).
    public var maxCompactionLagMilliseconds: Int64?
    /// The maximum age, in milliseconds, of an open segment (`segment.ms`). Open segments are never compacted.
    public var maxSegmentMilliseconds: Int64?
    /// `CreateTime` or `LogAppendTime` (`message.timestamp.type`).
    public var timestampType: String?

    /// Creates an expectation that only requires the topic to exist.
    public init(topic: KafkaTopic) { self.topic = topic }
}

/// A topic property that differs from the expectation.
public struct KafkaTopicFinding: Hashable, Sendable, CustomStringConvertible {
    /// The property being compared; for a setting, Kafka's name for it.
    public enum Subject: String, Hashable, Sendable, CaseIterable {
        case missing
        case partitionCount = "partitions"
        case replicationFactor = "replication.factor"
        case minInSyncReplicas = "min.insync.replicas"
        case uncleanLeaderElection = "unclean.leader.election.enable"
        case maxMessageBytes = "max.message.bytes"
        case cleanupPolicy = "cleanup.policy"
        case retention = "retention.ms"
        case deleteRetention = "delete.retention.ms"
        case compactionLag = "min.compaction.lag.ms"
        case maxCompactionLag = "max.compaction.lag.ms"
        case segment = "segment.ms"
        case timestampType = "message.timestamp.type"
    }

    /// The topic.
    public let topic: KafkaTopic
    /// The property being compared.
    public let subject: Subject
    /// The expected value, such as `at least 3`.
    public let expected: String
    /// The actual value.
    public let found: String
    /// A value that meets the expectation, in the format that Kafka's tools use; empty if the topic does not exist.
    public let sufficient: String

    /// A one-line description.
    public var description: String {
        if subject == .missing { return "topic \(topic) does not exist" }
        return "topic \(topic): \(subject.rawValue) is \(found), expected \(expected)"
    }
}

extension KafkaTopicExpectation {
    /// Compares a topic with this expectation. A nil description means that the topic does not exist. Settings that the
    /// broker does not report are skipped: see ``unreported(in:)``.
    public func findings(in description: KafkaTopicDescription?) -> [KafkaTopicFinding] {
        guard let description else {
            return [
                KafkaTopicFinding(topic: topic, subject: .missing, expected: "a topic", found: "none", sufficient: "")
            ]
        }
        var findings: [KafkaTopicFinding] = []
        func add(_ subject: KafkaTopicFinding.Subject, _ sufficient: String, _ found: String, isLeast: Bool = false) {
            findings.append(
                KafkaTopicFinding(
                    topic: topic, subject: subject, expected: isLeast ? "at least \(sufficient)" : sufficient,
                    found: found, sufficient: sufficient))
        }
        let partitionCount = description.partitions.count
        if let partitions, partitionCount != partitions { add(.partitionCount, "\(partitions)", "\(partitionCount)") }
        if let replicationFactor, description.replicationFactor < replicationFactor {
            add(.replicationFactor, "\(replicationFactor)", "\(description.replicationFactor)", isLeast: true)
        }
        guard let configuration = description.configuration else { return findings }
        for setting in settings {
            guard let found = configuration[setting.subject.rawValue], !setting.isMet(by: found) else { continue }
            findings.append(
                KafkaTopicFinding(
                    topic: topic, subject: setting.subject, expected: setting.expected, found: found,
                    sufficient: setting.sufficient))
        }
        return findings
    }

    /// Returns the expected settings that the broker does not report, with their expected values. These settings cannot
    /// be compared. Some brokers other than Apache Kafka lack some of them.
    public func unreported(in description: KafkaTopicDescription?) -> [(
        subject: KafkaTopicFinding.Subject, expected: String
    )] {
        guard let configuration = description?.configuration else { return [] }
        return settings.filter { configuration[$0.subject.rawValue] == nil }.map { ($0.subject, $0.expected) }
    }

    private var settings: [ExpectedSetting] {
        [
            minInSyncReplicas.map { ExpectedSetting(.minInSyncReplicas, .least(Int64($0))) },
            uncleanLeaderElection.map { ExpectedSetting(.uncleanLeaderElection, .text("\($0)")) },
            maxMessageBytes.map { ExpectedSetting(.maxMessageBytes, .least(Int64($0))) },
            cleanupPolicy.map { ExpectedSetting(.cleanupPolicy, .list($0)) },
            retentionMilliseconds.map { ExpectedSetting(.retention, .leastOrUnlimited($0)) },
            deleteRetentionMilliseconds.map { ExpectedSetting(.deleteRetention, .least($0)) },
            compactionLagMilliseconds.map { ExpectedSetting(.compactionLag, .least($0)) },
            maxCompactionLagMilliseconds.map { ExpectedSetting(.maxCompactionLag, .most($0)) },
            maxSegmentMilliseconds.map { ExpectedSetting(.segment, .most($0)) },
            timestampType.map { ExpectedSetting(.timestampType, .text($0)) },
        ].compactMap { $0 }
    }
}

/// A topic setting and its acceptable values.
private struct ExpectedSetting {
    enum Bound {
        case text(String)
        /// A comma-separated list in any order.
        case list(String)
        case least(Int64)
        /// A minimum; -1 means unlimited.
        case leastOrUnlimited(Int64)
        case most(Int64)
    }

    let subject: KafkaTopicFinding.Subject
    let bound: Bound

    init(_ subject: KafkaTopicFinding.Subject, _ bound: Bound) {
        self.subject = subject
        self.bound = bound
    }

    var sufficient: String {
        switch bound {
        case .text(let value), .list(let value): value
        case .least(let value), .leastOrUnlimited(let value), .most(let value): "\(value)"
        }
    }

    var expected: String {
        switch bound {
        case .text, .list: sufficient
        case .least, .leastOrUnlimited: "at least \(sufficient)"
        case .most: "at most \(sufficient)"
        }
    }

    func isMet(by found: String) -> Bool {
        switch bound {
        case .text(let value): found == value
        case .list(let value): Self.elements(found) == Self.elements(value)
        case .least(let value): Int64(found).map { $0 >= value } ?? false
        case .leastOrUnlimited(let value): Int64(found).map { $0 >= value || $0 == -1 } ?? false
        case .most(let value): Int64(found).map { $0 <= value } ?? false
        }
    }

    private static func elements(_ text: String) -> Set<String> {
        Set(text.split(separator: ",").map { $0.filter { $0 != " " } })
    }
}
