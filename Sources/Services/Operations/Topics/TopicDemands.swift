internal import Kafka
internal import NotificationRecord
internal import PipelineRuntime

/// What the topics of an installation should be like, beside what ``TopicSpecification`` says of each.
struct TopicDemands: Equatable {
    /// Brokers that hold each record.
    let replicationFactor: Int
    /// Brokers that have a record before it is acknowledged.
    let minInSyncReplicas: Int

    init(profile: DeploymentProfile, replicationFactor: Int?) {
        self.replicationFactor = replicationFactor ?? (profile == .production ? 3 : 1)
        // More than there are replicas would refuse every record.
        minInSyncReplicas = min(profile == .production ? 2 : 1, self.replicationFactor)
    }

    /// The settings that a topic is created with, by Kafka's names.
    func settings(of specification: TopicSpecification) -> [String: String] {
        specification.settings.merging([
            KafkaTopicFinding.Subject.minInSyncReplicas.rawValue: String(minInSyncReplicas),
            KafkaTopicFinding.Subject.uncleanLeaderElection.rawValue: "false",
        ]) { $1 }
    }

    /// - Parameters:
    ///   - isKeyed: whether the number of partitions decides where a key's records are.
    ///   - isEmbedded: on the embedded broker, which knows neither replicas nor settings.
    func expectation(of specification: TopicSpecification, isKeyed: Bool, isEmbedded: Bool) -> KafkaTopicExpectation {
        var expectation = KafkaTopicExpectation(topic: KafkaTopic(rawValue: specification.name.rawValue))
        if isKeyed { expectation.partitions = specification.partitions }
        if !isEmbedded { expectation.replicationFactor = replicationFactor }
        expectation.minInSyncReplicas = minInSyncReplicas
        expectation.uncleanLeaderElection = false
        expectation.maxMessageBytes = TopicSpecification.maximumMessageBytes
        expectation.cleanupPolicy = specification.settings[KafkaTopicFinding.Subject.cleanupPolicy.rawValue]
        expectation.retentionMilliseconds =
            specification.settings[KafkaTopicFinding.Subject.retention.rawValue].flatMap { Int64($0) }
        return expectation
    }
}
