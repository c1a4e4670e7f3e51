internal import Kafka
internal import Records
internal import ServiceKit

/// Findings about the executable's topics, derived only from the facts.
extension DoctorFacts {
    /// Upper bound on a record's size: the body as received, plus its decoded copy. The listener accepts 256 KiB.
    static let largestRecordBytes = 2 * 262_144

    private var names: [KafkaTopic] { expectations.map(\.topic) }

    var topicFindings: [DoctorFinding] {
        guard let topics else {
            let reason = topicsError.map { DoctorFinding(.problem, .topic, $0.description, fix: Self.fix($0)) }
            if let reason { return [reason] }
            return [
                brokersAreSilent
                    ? DoctorFinding(.unknown, .topic, "no broker is reachable")
                    : Self.skipped(.topic, Self.needsConfiguration)
            ]
        }
        return expectations.flatMap { expectation -> [DoctorFinding] in
            let description = topics.first { $0.topic == expectation.topic }
            let fatal = expectation.required(by: profile).findings(in: description)
            let tolerated = expectation.wished(by: profile).findings(in: description).filter { !fatal.contains($0) }
            let differences =
                fatal.map { finding(.problem, $0) } + tolerated.map { finding(.warning, $0) }
                + unreported(expectation.wished(by: profile), in: description)
            let obstacles = description.map(obstacles) ?? []
            guard differences.isEmpty, obstacles.isEmpty, let description else { return differences + obstacles }
            return [DoctorFinding(.ok, .topic, of: description.topic.rawValue, Self.summary(description))]
        } + (isIngress ? stateFindings(topics) : [])
    }

    /// Checks consumers' topics, which this installation might not use. Returns findings only for topics that exist and
    /// differ from the expected configuration.
    private func stateFindings(_ topics: [KafkaTopicDescription]) -> [DoctorFinding] {
        topicNames.state().flatMap { specification -> [DoctorFinding] in
            guard let description = topics.first(where: { $0.topic == specification.name }) else { return [] }
            let expectation = specification.expectation
            return expectation.required(by: profile).findings(in: description).map { finding(.problem, $0) }
                + expectation.advised.findings(in: description).map {
                    finding(.warning, $0, fix: "Run sluicectl topics check, which prints the command")
                } + unreported(profile == .managed ? expectation.wished(by: profile) : expectation, in: description)
        }
    }

    private func unreported(
        _ expectation: KafkaTopicExpectation, in description: KafkaTopicDescription?
    ) -> [DoctorFinding] {
        expectation.unreported(in: description).map {
            DoctorFinding(
                .warning, .topic, of: expectation.topic.rawValue,
                "the brokers do not report \($0.subject.rawValue), expected \($0.expected)",
                fix: "Check it with the brokers' own tools")
        }
    }

    private static func fix(_ error: KafkaError) -> String {
        // Positive codes come from a broker. Other codes mean that no broker responded.
        error.code.rawValue > 0
            ? "Check the broker's log, and grant this user Describe and DescribeConfigs permissions"
            : "Start the missing brokers"
    }

    private var brokersAreSilent: Bool { if case .silent = brokers { true } else { false } }

    private static func summary(_ topic: KafkaTopicDescription) -> String {
        let count = topic.partitions.count
        let partitions = "\(count) \(count == 1 ? "partition" : "partitions")"
        return "\(partitions), \(topic.replicationFactor) \(topic.replicationFactor == 1 ? "replica" : "replicas")"
    }

    private func finding(
        _ status: FindingStatus, _ difference: KafkaTopicFinding, fix: String? = nil
    ) -> DoctorFinding {
        let topic = difference.topic.rawValue
        if difference.subject == .missing, deniedTopics.contains(difference.topic) {
            return DoctorFinding(
                status, .topic, of: topic, "access is denied, so the brokers do not report whether it exists",
                fix: "Grant the ACLs printed by sluicectl topics acls or, if the topic is missing, run sluicectl "
                    + "topics apply")
        }
        if difference.subject == .missing {
            let fix = isEmbedded ? "Start sluice-dev-broker with this topics.prefix" : "sluicectl topics apply"
            return DoctorFinding(status, .topic, of: topic, "does not exist", fix: fix)
        }
        return DoctorFinding(
            status, .topic, of: topic,
            "\(difference.subject.rawValue) is \(difference.found), expected \(difference.expected)",
            fix: fix
                ?? (status == .problem
                    ? "Run sluicectl topics check, which prints the command" : "Allowed by profile=single-node"))
    }

    private var isEmbedded: Bool {
        if case .answering(_, let isEmbedded) = brokers { isEmbedded } else { false }
    }

    /// Returns the conditions that currently prevent brokers from acknowledging records.
    private func obstacles(_ topic: KafkaTopicDescription) -> [DoctorFinding] {
        func finding(
            _ status: FindingStatus, _ partitions: [KafkaTopicDescription.Partition], _ what: String,
            _ fix: String
        ) -> DoctorFinding? {
            guard !partitions.isEmpty else { return nil }
            let list = partitions.map { String($0.partition.rawValue) }.joined(separator: ", ")
            let found = "\(partitions.count == 1 ? "partition" : "partitions") \(list): \(what)"
            return DoctorFinding(status, .topic, of: topic.topic.rawValue, found, fix: fix)
        }
        let needed = topic.configuration?[KafkaTopicFinding.Subject.minInSyncReplicas.rawValue].flatMap { Int($0) } ?? 1
        let leaderless = topic.partitions.filter { $0.leader == nil }
        let led = topic.partitions.filter { $0.leader != nil }
        let refusing = led.filter { $0.inSyncReplicas.count < needed }
        let behind = led.filter { $0.inSyncReplicas.count >= needed && $0.inSyncReplicas.count < $0.replicas.count }
        let start = "Start the missing brokers"
        let effect = isIngress ? "every request receives a 503 response" : "records cannot be written"
        return [
            finding(
                .problem, leaderless,
                isIngress ? "no leader: \(effect)" : "no leader: records cannot be read or written", start),
            finding(
                .problem, refusing,
                "fewer in-sync replicas than min.insync.replicas: \(effect)", start),
            finding(.warning, behind, "under-replicated", start),
        ].compactMap { $0 }
    }

    // MARK: sizes

    var messageSizeFindings: [DoctorFinding] {
        guard let producer = producerMessageMaxBytes else {
            return [Self.skipped(.messageSizes, Self.needsConfiguration)]
        }
        if producer < Self.largestRecordBytes {
            return [
                DoctorFinding(
                    .problem, .messageSizes,
                    "kafka.message.max.bytes is \(producer): large notifications would always be rejected (503)",
                    fix: "Set it to at least \(Self.largestRecordBytes), or remove it")
            ]
        }
        let smaller = (topics ?? []).filter { topic in
            guard names.contains(topic.topic), let limit = Self.maxMessageBytes(topic) else { return false }
            return limit < producer
        }
        guard smaller.isEmpty else {
            return smaller.map { topic in
                DoctorFinding(
                    .warning, .messageSizes, of: topic.topic.rawValue,
                    "kafka.message.max.bytes is \(producer), max.message.bytes \(Self.maxMessageBytes(topic) ?? 0): "
                        + "brokers may reject records that the producer sends",
                    fix: "Remove kafka.message.max.bytes, or raise the topic's limit with kafka-configs.sh")
            }
        }
        return [DoctorFinding(.ok, .messageSizes, "kafka.message.max.bytes is \(producer)")]
    }

    private static func maxMessageBytes(_ topic: KafkaTopicDescription) -> Int? {
        topic.configuration?[KafkaTopicFinding.Subject.maxMessageBytes.rawValue].flatMap { Int($0) }
    }
}
