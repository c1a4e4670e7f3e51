internal import Kafka
internal import Records

/// A comparison of the existing topics with the expected ones, and the resulting actions. Does not contact a broker.
struct TopicPlan {
    struct Item: Equatable {
        let specification: TopicSpecification
        /// The current number of partitions, or nil if the topic does not exist.
        let partitions: Int?
        /// The current replication factor, or the one with which the topic would be created.
        let replicationFactor: Int
        /// The differences between an existing topic and the expected configuration.
        let differences: [KafkaTopicFinding]
        /// Settings that the brokers do not report, with the expected values.
        var unreported: [String] = []
        /// Fixes for the differences: commands, or a sentence if no command can fix them.
        let corrections: [String]

        var topic: KafkaTopic { specification.name }
        var isMissing: Bool { partitions == nil }
    }

    let items: [Item]
    private let demands: TopicDemands

    /// - Parameters:
    ///   - names: the topic names of the installation.
    ///   - partitions: the number of partitions in keyed topics.
    ///   - groups: consumer groups besides Sluice's own.
    ///   - stateTopics: state topics besides Sluice's own.
    ///   - receivers: the webhook receivers.
    ///   - found: the brokers' descriptions of the topics; topics that do not belong to the installation are ignored.
    ///   - bootstrapServers: the brokers to use in the commands.
    init(
        _ names: TopicNames, partitions: Int, groups: [String] = [], stateTopics: [String] = [],
        receivers: [AccessOptions.WebhookReceiver] = [], demands: TopicDemands, found: [KafkaTopicDescription],
        isEmbedded: Bool = false, bootstrapServers: String
    ) {
        self.demands = demands
        let specifications = names.specifications(
            partitions: partitions, groups: groups, stateTopics: stateTopics, receivers: receivers)
        items = specifications.map { specification in
            let description = found.first { $0.topic.rawValue == specification.name.rawValue }
            let expectation = demands.expectation(
                of: specification, isEmbedded: isEmbedded)
            let differences = description.map { expectation.findings(in: $0) } ?? []
            return Item(
                specification: specification, partitions: description?.partitions.count,
                replicationFactor: description?.replicationFactor ?? demands.replicationFactor,
                differences: differences,
                unreported: expectation.unreported(in: description).map { "\($0.subject.rawValue) (\($0.expected))" },
                corrections: TopicCorrection.corrections(
                    of: differences, settings: demands.settings(of: specification, meeting: expectation),
                    bootstrapServers: bootstrapServers))
        }
    }

    /// Topics to create.
    var newTopics: [KafkaNewTopic] {
        items.filter(\.isMissing).map { item in
            KafkaNewTopic(
                topic: item.topic, partitions: item.specification.partitions,
                replicationFactor: demands.replicationFactor,
                configuration: demands.settings(of: item.specification))
        }
    }
}

/// The fix for a difference.
enum TopicCorrection {
    static func corrections(
        of differences: [KafkaTopicFinding], settings: [String: String], bootstrapServers: String
    ) -> [String] {
        var corrections: [String] = []
        var changed: [String] = []
        for difference in differences {
            switch difference.subject {
            case .missing: corrections.append("Create it with: sluicectl topics apply")
            case .partitionCount:
                corrections.append(
                    "The partition count cannot be changed. If it is the original count, set "
                        + "topics.partitions=\(difference.found). If partitions were added later, records with the "
                        + "same key are split across partitions: create all topics under a different topics.prefix")
            case .replicationFactor:
                corrections.append(
                    "kafka-reassign-partitions.sh --bootstrap-server \(bootstrapServers) --execute "
                        + "--reassignment-json-file FILE, with more replicas for each partition of \(difference.topic)")
            case .minInSyncReplicas, .uncleanLeaderElection, .maxMessageBytes, .cleanupPolicy, .retention,
                .deleteRetention, .compactionLag, .maxCompactionLag, .segment, .timestampType:
                let name = difference.subject.rawValue
                if let value = settings[name] { changed.append("\(name)=\(value)") }
            }
        }
        if let topic = differences.first?.topic, !changed.isEmpty {
            corrections.append(
                "kafka-configs.sh --bootstrap-server \(bootstrapServers) --alter --entity-type topics --entity-name "
                    + "\(topic) --add-config \(changed.joined(separator: ","))")
        }
        return corrections
    }
}
