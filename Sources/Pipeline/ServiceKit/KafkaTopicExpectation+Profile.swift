public import Kafka

extension KafkaTopicExpectation {
    /// The minimum retention in milliseconds. Apple retries for a week. With a shorter retention, records could be
    /// deleted before consumers have read them.
    private static let shortestRetention: Int64 = 8 * 86_400_000

    /// Creates the expectation for a topic created with these settings. Operators may later choose a different
    /// retention, but not one that deletes records before they are read.
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

    /// This expectation, reduced to the requirements that protect acknowledged records.
    private var withoutAdvice: KafkaTopicExpectation {
        var expectation = self
        expectation.deleteRetentionMilliseconds = nil
        expectation.maxCompactionLagMilliseconds = nil
        expectation.maxSegmentMilliseconds = nil
        return expectation
    }

    /// The requirements whose violation only causes a warning. If tombstones are removed too early, erased data
    /// reappears when older records are read again. Without enforced compaction, erased data remains in the topic.
    package var advised: KafkaTopicExpectation {
        var expectation = KafkaTopicExpectation(topic: topic)
        expectation.deleteRetentionMilliseconds = deleteRetentionMilliseconds
        expectation.maxCompactionLagMilliseconds = maxCompactionLagMilliseconds
        expectation.maxSegmentMilliseconds = maxSegmentMilliseconds
        return expectation
    }

    /// Returns the requirements that must be met for a process to start.
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

    /// Returns the requirements whose violation only causes a warning.
    package func wished(by profile: DeploymentProfile) -> KafkaTopicExpectation {
        profile == .managed ? required(by: .managed) : demandingReplicas
    }

    /// This expectation plus the replication that every topic should have. `single-node` only warns if it is missing.
    package var demandingReplicas: KafkaTopicExpectation {
        var expectation = withoutAdvice
        expectation.replicationFactor = max(3, replicationFactor ?? 0)
        expectation.minInSyncReplicas = max(2, minInSyncReplicas ?? 0)
        expectation.uncleanLeaderElection = false
        return expectation
    }
}
