internal import Kafka
internal import NotificationRecord

/// What there is, compared with what should be, and what follows from that. A pure function.
struct TopicPlan {
    struct Item: Equatable {
        let specification: TopicSpecification
        /// As found; nil when the topic does not exist.
        let partitions: Int?
        /// As found, or as it would be created.
        let replicationFactor: Int
        /// Respects in which an existing topic is not as it should be.
        let differences: [KafkaTopicFinding]
        /// How an operator puts them right: commands, or a sentence where there is none.
        let corrections: [String]

        var topic: KafkaTopic { KafkaTopic(rawValue: specification.name.rawValue) }
        var isMissing: Bool { partitions == nil }
    }

    let items: [Item]
    private let demands: TopicDemands

    /// - Parameters:
    ///   - names: the names of the installation.
    ///   - partitions: of keyed topics.
    ///   - found: what the brokers say; other topics are left alone.
    ///   - bootstrapServers: for the commands.
    init(
        _ names: TopicNames, partitions: Int, demands: TopicDemands, found: [KafkaTopicDescription],
        isEmbedded: Bool = false, bootstrapServers: String
    ) {
        self.demands = demands
        items = names.specifications(partitions: partitions).map { specification in
            let description = found.first { $0.topic.rawValue == specification.name.rawValue }
            let expectation = demands.expectation(
                of: specification, isKeyed: specification.name != names.quarantine, isEmbedded: isEmbedded)
            let differences = description.map { expectation.findings(in: $0) } ?? []
            return Item(
                specification: specification, partitions: description?.partitions.count,
                replicationFactor: description?.replicationFactor ?? demands.replicationFactor,
                differences: differences,
                corrections: TopicCorrection.corrections(
                    of: differences, settings: demands.settings(of: specification, meeting: expectation),
                    bootstrapServers: bootstrapServers))
        }
    }

    /// What has to be created.
    var newTopics: [KafkaNewTopic] {
        items.filter(\.isMissing).map { item in
            KafkaNewTopic(
                topic: item.topic, partitions: item.specification.partitions,
                replicationFactor: demands.replicationFactor,
                configuration: demands.settings(of: item.specification))
        }
    }
}

/// What puts a difference right.
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
                    "The number of partitions is for ever: set topics.partitions=\(difference.found), or begin anew under "
                        + "another topics.prefix")
            case .replicationFactor:
                corrections.append(
                    "kafka-reassign-partitions.sh --bootstrap-server \(bootstrapServers) --execute "
                        + "--reassignment-json-file FILE, with more replicas for each partition of \(difference.topic)")
            case .minInSyncReplicas, .uncleanLeaderElection, .maxMessageBytes, .cleanupPolicy, .retention,
                .deleteRetention:
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
