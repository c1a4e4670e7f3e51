internal import Kafka
internal import NotificationRecord
internal import PipelineRuntime

/// What the topics of an installation should be like, beside what ``TopicSpecification`` says of each.
struct TopicDemands: Equatable {
    let profile: DeploymentProfile
    /// Brokers that hold each record.
    let replicationFactor: Int
    /// Brokers that have a record before it is acknowledged.
    let minInSyncReplicas: Int

    init(profile: DeploymentProfile, replicationFactor: Int?) {
        self.profile = profile
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

    /// As ``settings(of:)``, with as many replicas in sync as are expected, however few it would be created with.
    func settings(
        of specification: TopicSpecification, meeting expectation: KafkaTopicExpectation
    ) -> [String: String] {
        var settings = settings(of: specification)
        if let inSync = expectation.minInSyncReplicas {
            settings[KafkaTopicFinding.Subject.minInSyncReplicas.rawValue] = String(inSync)
        }
        return settings
    }

    /// The same that the executables ask of their topics under this profile, what they warn of, and what was chosen for
    /// ever.
    ///
    /// - Parameters:
    ///   - isKeyed: whether the number of partitions decides where a key's records are.
    ///   - isEmbedded: on the embedded broker, which knows neither replicas nor settings.
    func expectation(of specification: TopicSpecification, isKeyed: Bool, isEmbedded: Bool) -> KafkaTopicExpectation {
        let created = KafkaTopicExpectation(
            topic: KafkaTopic(rawValue: specification.name.rawValue), createdWith: specification.settings)
        var expectation = created.required(by: profile)
        expectation.deleteRetentionMilliseconds = created.advised.deleteRetentionMilliseconds
        if isKeyed { expectation.partitions = specification.partitions }
        expectation.replicationFactor = isEmbedded ? nil : max(replicationFactor, expectation.replicationFactor ?? 0)
        return expectation
    }
}
