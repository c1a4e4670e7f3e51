public import Kafka

extension KafkaTopicExpectation {
    /// Apple sends again for a week: a topic that forgets sooner could lose what its consumers have not read.
    private static let shortestRetention: Int64 = 8 * 86_400_000

    /// What a topic that is created with these settings must be like for as long as it is used. An operator may choose
    /// another retention, but not one that forgets what has not been read.
    public init(topic: KafkaTopic, createdWith settings: [String: String]) {
        self.init(topic: topic)
        maxMessageBytes = settings[KafkaTopicFinding.Subject.maxMessageBytes.rawValue].flatMap { Int($0) }
        cleanupPolicy = settings[KafkaTopicFinding.Subject.cleanupPolicy.rawValue]
        let retention = settings[KafkaTopicFinding.Subject.retention.rawValue].flatMap { Int64($0) }
        retentionMilliseconds = retention.map { $0 < 0 ? Self.shortestRetention : min($0, Self.shortestRetention) }
        deleteRetentionMilliseconds = settings[KafkaTopicFinding.Subject.deleteRetention.rawValue].flatMap { Int64($0) }
    }

    /// What of it a process warns of and starts without: with tombstones that go too soon, what was erased comes back
    /// when older records are read again.
    package var advised: KafkaTopicExpectation {
        var expectation = KafkaTopicExpectation(topic: topic)
        expectation.deleteRetentionMilliseconds = deleteRetentionMilliseconds
        return expectation
    }

    /// What of it a process does not start without.
    package func required(by profile: DeploymentProfile) -> KafkaTopicExpectation {
        guard profile == .singleNode else { return demandingReplicas }
        var expectation = self
        expectation.replicationFactor = nil
        expectation.minInSyncReplicas = nil
        expectation.uncleanLeaderElection = nil
        expectation.retentionMilliseconds = nil
        expectation.deleteRetentionMilliseconds = nil
        return expectation
    }

    /// What no topic should lack, added to what this one asks; `single-node` warns of what is missing.
    package var demandingReplicas: KafkaTopicExpectation {
        var expectation = self
        expectation.replicationFactor = max(3, replicationFactor ?? 0)
        expectation.minInSyncReplicas = max(2, minInSyncReplicas ?? 0)
        expectation.uncleanLeaderElection = false
        expectation.deleteRetentionMilliseconds = nil
        return expectation
    }
}
