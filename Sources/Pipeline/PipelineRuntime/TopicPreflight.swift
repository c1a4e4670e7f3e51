internal import Configuration
package import Kafka
package import Lifecycle

/// What must be true of the brokers and topics before a process begins: checked at start, so that a setting which
/// could lose an acknowledged record is met by an operator and not by a customer.
package enum TopicPreflight {
    package struct Outcome: Sendable {
        /// `configuration` as given, or with the profile of the embedded broker where that is what answers.
        package let kafka: KafkaConfiguration
        package let isEmbeddedBroker: Bool
        /// What `single-node` gives up here, one line each.
        package let warnings: [String]
    }

    /// Compares topics with what is expected of them under a profile.
    ///
    /// `production` refuses fewer than three replicas, fewer than two in sync, unclean leader elections, and whatever
    /// `topics` itself asks for. `single-node` refuses only what is missing or cannot work, and warns of the rest.
    ///
    /// - Parameters:
    ///   - topics: what each topic must be like under any profile.
    ///   - limit: how long brokers may take to answer.
    /// - Throws: one clear line with the setting and the fix.
    package static func run(
        _ configuration: KafkaConfiguration, topics: [KafkaTopicExpectation], profile: DeploymentProfile,
        within limit: Duration = .seconds(10)
    ) async throws(StartupError) -> Outcome {
        let admin: KafkaAdmin
        do {
            admin = try KafkaAdmin(configuration)
        } catch {
            throw StartupError(
                error.message, setting: ApplicationSettings.kafka.prefix + "*", fix: "Correct the property",
                exitCode: .configuration)
        }
        do {
            let outcome = try await examine(admin, configuration, topics, profile, limit)
            await admin.close(within: .seconds(1))
            return outcome
        } catch {
            await admin.close(within: .seconds(1))
            throw error
        }
    }

    private static func examine(
        _ admin: KafkaAdmin, _ configuration: KafkaConfiguration, _ topics: [KafkaTopicExpectation],
        _ profile: DeploymentProfile, _ limit: Duration
    ) async throws(StartupError) -> Outcome {
        let isEmbedded: Bool
        let findings: [KafkaTopicFinding]
        do {
            isEmbedded = try await admin.isEmbeddedBroker(within: limit)
            findings = try await admin.checkTopics(topics.map(\.demandingReplicas), within: limit)
        } catch {
            throw StartupError(
                "no Kafka broker answers at \(configuration.bootstrapServers): \(error.message)",
                setting: ApplicationSettings.bootstrapServers.key, fix: "Start Kafka, or name brokers that answer")
        }
        if isEmbedded, profile == .production {
            throw StartupError(
                "the broker at \(configuration.bootstrapServers) is sluice-dev-broker, which keeps records in memory",
                setting: ApplicationSettings.profile.key, fix: "Use Apache Kafka, or set profile=single-node",
                exitCode: .configuration)
        }
        for finding in findings where isFatal(finding, profile) {
            throw StartupError(
                finding.description, setting: setting(finding), fix: fix(finding), exitCode: .configuration)
        }
        var warnings = findings.map(\.description)
        if isEmbedded {
            warnings.append("the embedded broker keeps a few MiB of each partition, in memory, until it stops")
        }
        return Outcome(
            kafka: isEmbedded ? embedded(configuration) : configuration, isEmbeddedBroker: isEmbedded,
            warnings: warnings)
    }

    private static func embedded(_ configuration: KafkaConfiguration) -> KafkaConfiguration {
        // The same properties were accepted under the other profile.
        let embedded = try? KafkaConfiguration(
            bootstrapServers: configuration.bootstrapServers, properties: configuration.properties, profile: .embedded)
        return embedded ?? configuration
    }

    private static func isFatal(_ finding: KafkaTopicFinding, _ profile: DeploymentProfile) -> Bool {
        switch finding.subject {
        case .missing, .partitionCount, .maxMessageBytes, .cleanupPolicy: true
        case .replicationFactor, .minInSyncReplicas, .uncleanLeaderElection, .retention: profile == .production
        }
    }

    private static func setting(_ finding: KafkaTopicFinding) -> String? {
        finding.subject == .missing ? "topics.prefix" : nil
    }

    private static func fix(_ finding: KafkaTopicFinding) -> String {
        switch finding.subject {
        case .missing: "Create it with: sluicectl topics apply"
        case .partitionCount:
            "The number is for ever: set topics.partitions to the number that the topics have, or use another topics.prefix"
        case .replicationFactor:
            "Raise it with kafka-reassign-partitions.sh, or accept the risk with profile=single-node"
        case .minInSyncReplicas, .uncleanLeaderElection, .retention:
            "See how with: sluicectl topics check, or accept the risk with profile=single-node"
        case .maxMessageBytes, .cleanupPolicy: "See how with: sluicectl topics check"
        }
    }
}

extension KafkaTopicExpectation {
    /// What no topic should lack, added to what this one asks; `single-node` says what of it is given up.
    package var demandingReplicas: KafkaTopicExpectation {
        var expectation = self
        expectation.replicationFactor = max(3, replicationFactor ?? 0)
        expectation.minInSyncReplicas = max(2, minInSyncReplicas ?? 0)
        expectation.uncleanLeaderElection = false
        return expectation
    }
}
