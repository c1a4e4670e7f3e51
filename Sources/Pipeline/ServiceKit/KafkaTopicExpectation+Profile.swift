package import Kafka

extension KafkaTopicExpectation {
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

    /// The requirements of this expectation that protect acknowledged records, plus the replication that every topic
    /// should have. `production` requires that replication; `single-node` only warns if a topic does not have it.
    package var demandingReplicas: KafkaTopicExpectation {
        var expectation = withoutAdvice
        expectation.replicationFactor = max(3, replicationFactor ?? 0)
        expectation.minInSyncReplicas = max(2, minInSyncReplicas ?? 0)
        expectation.uncleanLeaderElection = false
        return expectation
    }
}
