internal import Kafka
internal import Records
internal import ServiceKit

/// The topic configuration that an installation expects, in addition to each ``TopicSpecification``.
struct TopicDemands: Equatable {
    let profile: DeploymentProfile
    /// The number of replicas per partition, or -1 for the cluster's default.
    let replicationFactor: Int
    /// The number of in-sync replicas required for an acknowledgement.
    let minInSyncReplicas: Int

    init(profile: DeploymentProfile, replicationFactor: Int?) {
        self.profile = profile
        self.replicationFactor = replicationFactor ?? Self.replicas(profile)
        // If the minimum exceeded the number of replicas, brokers would reject every record.
        minInSyncReplicas = min(profile == .production ? 2 : 1, self.replicationFactor)
    }

    private static func replicas(_ profile: DeploymentProfile) -> Int {
        switch profile {
        case .production: 3
        case .singleNode: 1
        case .managed: -1
        }
    }

    /// Returns the settings with which a topic is created, keyed by Kafka's setting names.
    func settings(of specification: TopicSpecification) -> [String: String] {
        if profile == .managed { return specification.settings }
        return specification.settings.merging([
            KafkaTopicFinding.Subject.minInSyncReplicas.rawValue: String(minInSyncReplicas),
            KafkaTopicFinding.Subject.uncleanLeaderElection.rawValue: "false",
        ]) { $1 }
    }

    /// Returns the same settings as ``settings(of:)``, but with the expected number of in-sync replicas instead of the
    /// number used at creation.
    func settings(
        of specification: TopicSpecification, meeting expectation: KafkaTopicExpectation
    ) -> [String: String] {
        var settings = settings(of: specification)
        if let inSync = expectation.minInSyncReplicas {
            settings[KafkaTopicFinding.Subject.minInSyncReplicas.rawValue] = String(inSync)
        }
        return settings
    }

    /// Returns the settings that the executables require of a topic in this profile, the settings that they warn about,
    /// and the settings that cannot be changed later.
    ///
    /// - Parameter isEmbedded: whether this is the embedded broker, which supports neither replicas nor topic settings.
    func expectation(of specification: TopicSpecification, isEmbedded: Bool) -> KafkaTopicExpectation {
        let created = specification.expectation
        var expectation = created.required(by: profile)
        let advised = created.advised
        expectation.deleteRetentionMilliseconds = advised.deleteRetentionMilliseconds
        expectation.maxCompactionLagMilliseconds = advised.maxCompactionLagMilliseconds
        expectation.maxSegmentMilliseconds = advised.maxSegmentMilliseconds
        if specification.isKeyed { expectation.partitions = specification.partitions }
        let replicas = max(replicationFactor, expectation.replicationFactor ?? 0)
        expectation.replicationFactor = isEmbedded || replicas < 1 ? nil : replicas
        return expectation
    }
}
