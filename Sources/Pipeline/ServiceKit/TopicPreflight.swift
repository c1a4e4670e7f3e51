internal import Configuration
package import Kafka
package import Lifecycle

/// Checks brokers and topics before a process starts working, so that an operator rather than a customer discovers a
/// setting that could lose an acknowledged record.
package enum TopicPreflight {
    package struct Outcome: Sendable {
        /// The configuration to use. It includes the embedded broker's profile if the broker is the embedded one.
        package let kafka: KafkaConfiguration
        package let isEmbeddedBroker: Bool
        /// Violations that `single-node` tolerates, one line each.
        package let warnings: [String]
        /// Recommended changes, which do not prevent startup under any profile. One line each, with the fix.
        package let advice: [String]
        /// The number of partitions of each topic.
        package let partitions: [KafkaTopic: Int]
    }

    /// Compares topics with their expectations under a profile.
    ///
    /// `production` rejects fewer than three replicas, fewer than two in-sync replicas, unclean leader elections, and
    /// violations of the expectations in `topics`. `single-node` rejects only missing topics and configurations that
    /// cannot work, and warns about everything else.
    ///
    /// - Parameters:
    ///   - topics: the expectations under any profile.
    ///   - setting: the key of the setting that determines the topics' names; nil if there is none.
    ///   - limit: the maximum time to wait for the brokers' answers.
    /// - Throws: a one-line error that includes the setting and the fix.
    package static func run(
        _ configuration: KafkaConfiguration, topics: [KafkaTopicExpectation], profile: DeploymentProfile,
        setting: String? = nil, within limit: Duration = .seconds(10)
    ) async throws(StartupError) -> Outcome {
        let admin: KafkaAdmin
        do {
            admin = try KafkaAdmin(configuration)
        } catch {
            throw StartupError(
                error.message, setting: ApplicationSettings.kafka.prefix + "*", fix: "Correct the property",
                exitCode: .configuration)
        }
        return try await admin.closing { admin throws(StartupError) in
            try await examine(admin, configuration, topics, profile, setting, limit)
        }
    }

    private static func examine(
        _ admin: KafkaAdmin, _ configuration: KafkaConfiguration, _ topics: [KafkaTopicExpectation],
        _ profile: DeploymentProfile, _ setting: String?, _ limit: Duration
    ) async throws(StartupError) -> Outcome {
        let isEmbedded: Bool
        let found: [KafkaTopicDescription]
        let denied: Set<KafkaTopic>
        do {
            isEmbedded = try await admin.isEmbeddedBroker(within: limit)
            found = try await descriptions(
                Set(topics.map(\.topic)), settings: profile != .singleNode ? .required : .whereAllowed, admin, limit)
            let missing = Set(topics.map(\.topic)).subtracting(found.map(\.topic))
            denied = try await admin.deniedTopics(among: Array(missing), within: limit)
        } catch {
            throw noAnswer(error, configuration)
        }
        if isEmbedded, profile != .singleNode {
            throw StartupError(
                "the broker at \(configuration.bootstrapServers) is sluice-dev-broker, which keeps records in memory",
                setting: ApplicationSettings.profile.key, fix: "Use Apache Kafka, or set profile=single-node",
                exitCode: .configuration)
        }
        var warnings: [String] = []
        var advice: [String] = []
        for topic in topics {
            let description = found.first { $0.topic == topic.topic }
            guard let description else {
                throw StartupError(missing: topic.topic, denied: denied, setting: setting)
            }
            if let finding = topic.required(by: profile).findings(in: description).first {
                throw StartupError(
                    finding.description, fix: fix(finding, configuration),
                    exitCode: .configuration)
            }
            advice += topic.advised.findings(in: description).map { "\($0). \(fix($0, configuration))" }
            advice += topic.wished(by: profile).unreported(in: description).map {
                "topic \(topic.topic): the broker does not report \($0.subject.rawValue), expected \($0.expected). "
                    + "Verify it with the broker's own tools"
            }
            if description.configuration == nil, !isEmbedded {
                warnings.append(
                    "cannot read the settings of topic \(topic.topic): this user lacks DescribeConfigs permission")
            }
            warnings += topic.wished(by: profile).findings(in: description).map(\.description)
        }
        if isEmbedded {
            warnings.append(
                "the embedded broker keeps only a few MiB per partition, in memory, and loses them when it stops")
        }
        return Outcome(
            kafka: isEmbedded ? embedded(configuration) : configuration, isEmbeddedBroker: isEmbedded,
            warnings: warnings, advice: advice,
            partitions: Dictionary(
                found.map { ($0.topic, $0.partitions.count) }, uniquingKeysWith: { first, _ in first }))
    }

    /// The time to wait for a topic that is missing from the brokers' response. It may have been created a moment ago.
    private static let creationLag: Duration = .milliseconds(1500)

    private static func descriptions(
        _ topics: Set<KafkaTopic>, settings: KafkaAdmin.TopicSettings, _ admin: KafkaAdmin, _ limit: Duration
    ) async throws(KafkaError) -> [KafkaTopicDescription] {
        try await SettledTopics(limit: limit, timeout: min(creationLag, limit)).descriptions {
            left throws(KafkaError) in
            try await admin.describeTopics(Array(topics), settings: settings, within: left)
        } until: { found in
            found.count == topics.count
        }
    }

    /// Returns the error for brokers that do not answer, deny this user access, or fail to describe the topics.
    static func noAnswer(_ error: KafkaError, _ configuration: KafkaConfiguration) -> StartupError {
        // Codes above 0 are sent by brokers, so at least one broker answered.
        guard error.code.rawValue > 0 else {
            return StartupError(noAnswer: error, from: configuration.bootstrapServers)
        }
        let isDenied = KafkaTrouble(error)?.cause == .denied
        return StartupError(
            "cannot describe the topics on the brokers at \(configuration.bootstrapServers): \(error)",
            setting: ApplicationSettings.bootstrapServers.key,
            fix: isDenied
                ? "Grant this user Describe and DescribeConfigs on the topics (sluicectl topics acls), or set "
                    + "profile=single-node"
                : "Check the state and the version of the brokers (Apache Kafka 2.1 or later), then start again",
            exitCode: isDenied ? .configuration : .failure)
    }

    private static func embedded(_ configuration: KafkaConfiguration) -> KafkaConfiguration {
        // This does not fail, because the properties were already accepted under the other profile.
        let embedded = try? KafkaConfiguration(
            bootstrapServers: configuration.bootstrapServers, properties: configuration.properties, profile: .embedded)
        return embedded ?? configuration
    }

    private static func fix(_ finding: KafkaTopicFinding, _ configuration: KafkaConfiguration) -> String {
        switch finding.subject {
        case .missing: "Create it with: sluicectl topics apply"
        case .partitionCount:
            """
            Set topics.partitions to the number that the topics were created with. If partitions were added later, \
            records with the same key are split across partitions: create all topics under a different topics.prefix
            """
        case .replicationFactor:
            "Raise it with kafka-reassign-partitions.sh, or accept the risk with profile=single-node"
        case .minInSyncReplicas, .uncleanLeaderElection, .retention:
            "Run sluicectl topics check, which prints the command; or accept the risk with profile=single-node"
        case .maxMessageBytes, .cleanupPolicy, .deleteRetention, .compactionLag, .maxCompactionLag, .segment,
            .timestampType:
            "Set it with: kafka-configs.sh --bootstrap-server \(configuration.bootstrapServers) --alter "
                + "--entity-type topics --entity-name \(finding.topic) "
                + "--add-config \(finding.subject.rawValue)=\(finding.sufficient)"
        }
    }
}
