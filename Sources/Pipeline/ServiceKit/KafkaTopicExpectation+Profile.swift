public import Kafka

extension KafkaTopicExpectation {
    /// Apple sends again for a week: a topic that forgets sooner could lose what its consumers have not read.
    private static let shortestRetention: Int64 = 8 * 86_400_000

    /// What a topic that is created with these settings must be like for as long as it is used. An operator may choose
    /// another retention, but not one that forgets what has not been read.
    public init(topic: KafkaTopic, createdWith settings: [String: String]) {
        self.init(topic: topic)
        func number(_ subject: KafkaTopicFinding.Subject) -> Int64? {
            settings[subject.rawValue].flatMap { Int64($0) }
        }
        maxMessageBytes = number(.maxMessageBytes).flatMap { Int(exactly: $0) }
        cleanupPolicy = settings[KafkaTopicFinding.Subject.cleanupPolicy.rawValue]
        retentionMilliseconds = number(.retention).map {
            $0 < 0 ? Self.shortestRetention : min($0, Self.shortestRetention)
        }
        deleteRetentionMilliseconds = number(.deleteRetention)
        compactionLagMilliseconds = number(.compactionLag)
        maxCompactionLagMilliseconds = number(.maxCompactionLag)
        maxSegmentMilliseconds = number(.segment)
        timestampType = settings[KafkaTopicFinding.Subject.timestampType.rawValue]
    }

    /// Demands whose absence loses nothing that was acknowledged, removed.
    private var withoutAdvice: KafkaTopicExpectation {
        var expectation = self
        expectation.deleteRetentionMilliseconds = nil
        expectation.maxCompactionLagMilliseconds = nil
        expectation.maxSegmentMilliseconds = nil
        return expectation
    }

    /// What of it a process warns of and starts without: with tombstones that go too soon, what was erased comes back
    /// when older records are read again, and where nothing forces compaction it stays in the topic.
    package var advised: KafkaTopicExpectation {
        var expectation = KafkaTopicExpectation(topic: topic)
        expectation.deleteRetentionMilliseconds = deleteRetentionMilliseconds
        expectation.maxCompactionLagMilliseconds = maxCompactionLagMilliseconds
        expectation.maxSegmentMilliseconds = maxSegmentMilliseconds
        return expectation
    }

    /// What of it a process does not start without.
    package func required(by profile: DeploymentProfile) -> KafkaTopicExpectation {
        if profile == .production { return demandingReplicas }
        var expectation = withoutAdvice
        expectation.replicationFactor = nil
        expectation.minInSyncReplicas = nil
        expectation.uncleanLeaderElection = nil
        guard profile == .singleNode else { return expectation }
        expectation.retentionMilliseconds = nil
        expectation.compactionLagMilliseconds = nil
        return expectation
    }

    /// The part that is worth a warning where the process starts all the same.
    package func wished(by profile: DeploymentProfile) -> KafkaTopicExpectation {
        profile == .managed ? required(by: .managed) : demandingReplicas
    }

    /// What no topic should lack, added to what this one asks; `single-node` warns of what is missing.
    package var demandingReplicas: KafkaTopicExpectation {
        var expectation = withoutAdvice
        expectation.replicationFactor = max(3, replicationFactor ?? 0)
        expectation.minInSyncReplicas = max(2, minInSyncReplicas ?? 0)
        expectation.uncleanLeaderElection = false
        return expectation
    }
}
