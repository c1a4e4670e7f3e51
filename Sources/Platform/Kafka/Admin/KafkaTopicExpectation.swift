/// What a topic should be like; `nil` means that anything is fine.
public struct KafkaTopicExpectation: Hashable, Sendable {
    /// The topic.
    public var topic: KafkaTopic
    /// The number of partitions.
    public var partitions: Int?
    /// At least so many brokers hold each record.
    public var replicationFactor: Int?
    /// At least so many brokers have each record before it is acknowledged (`min.insync.replicas`).
    public var minInSyncReplicas: Int?
    /// Whether a broker that lacks records may become leader (`unclean.leader.election.enable`).
    public var uncleanLeaderElection: Bool?
    /// Records of at least so many bytes are accepted (`max.message.bytes`).
    public var maxMessageBytes: Int?
    /// `delete`, `compact`, or both separated by a comma (`cleanup.policy`).
    public var cleanupPolicy: String?
    /// Records are kept at least so many milliseconds (`retention.ms`; -1, unlimited, is always enough).
    public var retentionMilliseconds: Int64?
    /// Tombstones of a compacted topic stay at least so many milliseconds (`delete.retention.ms`).
    public var deleteRetentionMilliseconds: Int64?

    /// Expects nothing but that the topic exists.
    public init(topic: KafkaTopic) { self.topic = topic }
}

/// One respect in which a topic is not as expected.
public struct KafkaTopicFinding: Hashable, Sendable, CustomStringConvertible {
    /// What was compared; for settings Kafka's own name.
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
    }

    /// The topic.
    public let topic: KafkaTopic
    /// What was compared.
    public let subject: Subject
    /// What was expected, such as `at least 3`.
    public let expected: String
    /// What was found.
    public let found: String
    /// The least change that would do: the setting's value as Kafka's tools take it.
    public let sufficient: String

    /// One line for people.
    public var description: String {
        if subject == .missing { return "topic \(topic) does not exist" }
        return "topic \(topic): \(subject.rawValue) is \(found), expected \(expected)"
    }
}

extension KafkaTopicExpectation {
    /// Compares; `nil` means that the topic does not exist. Settings are skipped where the broker has none.
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
        func setting(_ subject: KafkaTopicFinding.Subject) -> String { configuration[subject.rawValue] ?? "unknown" }
        func atLeast(_ subject: KafkaTopicFinding.Subject, _ expected: Int64?, unlimited: Int64? = nil) {
            guard let expected else { return }
            let found = Int64(setting(subject))
            if let found, found >= expected || found == unlimited { return }
            add(subject, "\(expected)", setting(subject), isLeast: true)
        }
        atLeast(.minInSyncReplicas, minInSyncReplicas.map(Int64.init))
        if let uncleanLeaderElection, setting(.uncleanLeaderElection) != "\(uncleanLeaderElection)" {
            add(.uncleanLeaderElection, "\(uncleanLeaderElection)", setting(.uncleanLeaderElection))
        }
        atLeast(.maxMessageBytes, maxMessageBytes.map(Int64.init))
        if let cleanupPolicy, Self.policies(setting(.cleanupPolicy)) != Self.policies(cleanupPolicy) {
            add(.cleanupPolicy, cleanupPolicy, setting(.cleanupPolicy))
        }
        atLeast(.retention, retentionMilliseconds, unlimited: -1)
        atLeast(.deleteRetention, deleteRetentionMilliseconds)
        return findings
    }

    /// The order of the policies does not matter.
    private static func policies(_ text: String) -> Set<String> {
        Set(text.split(separator: ",").map { $0.filter { $0 != " " } })
    }
}
