internal import AppStoreModel
internal import CommandLine
internal import Configuration
internal import JSON
internal import Kafka
internal import Lifecycle
internal import Primitives
internal import Records
internal import ServiceKit

/// `sluicectl cluster prepare` and `sluicectl cluster switch`: move an installation to copies of its topics on another
/// cluster.
///
/// Copied records have different offsets, and topics are copied independently, so a copied state topic may lag behind
/// the group's input. Each group that computes a state therefore rereads its input from the beginning. This adds the
/// facts that the copy lacks and changes none that are already in the state, because merging facts is a join: neither
/// their order nor repetition matters.
struct ClusterCommand {
    let configuration: Configuration
    let access: SluicectlParts.Access
    /// The configuration keys of the executables, which the source's properties file may also contain.
    let sharedKeys: [String]
    let clocks: Clocks
    /// Timeout for the brokers' first response.
    let timeout: Duration

    var names: TopicNames { TopicNames(prefix: configuration[OperationsSettings.topicsPrefix]) }

    /// Reports whether the cluster is ready for the switch.
    func prepare(_ console: Console) async throws -> ExitCode {
        let findings = try await withAdmin { admin, brokers, isEmbedded in
            try await survey(admin, brokers, isEmbedded: isEmbedded, isFinal: false).findings
        }
        await console.write(
            configuration, text: findings.text + "\n\(findings.isReady ? "ready" : "not ready")\n",
            json: [
                OutputName.ok: .bool(findings.isReady), OutputName.findings: .array(findings.map { .object($0.json) }),
            ])
        return findings.isReady ? .ok : .failure
    }

    func survey(
        _ admin: KafkaAdmin, _ brokers: Brokers, isEmbedded: Bool, isFinal: Bool
    ) async throws -> ClusterSurvey {
        let partitions =
            configuration[OperationsSettings.partitions] ?? configuration[OperationsSettings.topicsPartitions]
        let options = access.options(configuration)
        let receivers = options.webhookReceivers
        let further = (configuration[OperationsSettings.groups] ?? []) + names.furtherGroups(receivers)
        let specifications = names.specifications(partitions: partitions, groups: further, receivers: receivers)
        let topics = Dictionary(
            specifications.map { ($0.name, keptSince($0)) }, uniquingKeysWith: { first, _ in first })
        let demands = TopicDemands(
            profile: ApplicationSettings.deployment(configuration),
            replicationFactor: configuration[OperationsSettings.replicationFactor])
        let target = try await ClusterView(
            names, of: topics, admin, brokers.readerConfiguration(isEmbedded: isEmbedded))
        let groups = ClusterGroup.all(names, configuration, options)
        var withOffsets: Set<KafkaConsumerGroup> = []
        for group in groups where try await hasOffsets(group, target, admin) { withOffsets.insert(group.group) }
        return ClusterSurvey(
            names: names,
            plan: TopicPlan(
                names, partitions: partitions, groups: further, receivers: receivers, demands: demands,
                found: target.topics, isEmbedded: isEmbedded,
                bootstrapServers: configuration[ApplicationSettings.bootstrapServers]),
            target: target, source: try await source(topics), groups: groups, withOffsets: withOffsets,
            isFinal: isFinal)
    }

    private func hasOffsets(_ group: ClusterGroup, _ target: ClusterView, _ admin: KafkaAdmin) async throws -> Bool {
        let places = target.topics.filter { group.inputs.contains($0.topic) }.flatMap { topic in
            topic.partitions.map { KafkaTopicPartition(topic: topic.topic, partition: $0.partition) }
        }
        return try await !admin.committedOffsets(of: group.group, partitions: places).isEmpty
    }

    /// Returns the earliest timestamp whose records will not expire while this command runs: the current start of the
    /// retention period plus an hour, because the command takes time. Returns 0 for a compacted topic.
    private func keptSince(_ topic: TopicSpecification) -> Int64 {
        guard let retention = topic.settings["retention.ms"].flatMap({ Int64($0) }), retention > 0 else { return 0 }
        return max(1, clocks.wallMilliseconds() - retention + 3_600_000)
    }

    private func source(_ topics: [KafkaTopic: Int64]) async throws -> ClusterSurvey.Source {
        guard let file = configuration[OperationsSettings.clusterSource] else { return .notAsked }
        let source = try ClusterSource(file: file, prefix: names.prefix, sharedKeys: sharedKeys)
        do {
            return .answering(try await source.view(names, of: topics, timeout: timeout))
        } catch let error as ConfigurationError {
            throw error
        } catch let error as StartupError {
            return .silent(error.problem)
        } catch let error as KafkaError {
            return .silent(error.message)
        }
    }

    func withAdmin<Result>(
        _ body: (KafkaAdmin, Brokers, _ isEmbedded: Bool) async throws -> Result
    ) async throws -> Result {
        let brokers = try Brokers(configuration, timeout: timeout)
        return try await brokers.admin().closing { try await body($0, brokers, try await brokers.isEmbedded($0)) }
    }
}

extension ClusterCommand {
    init(_ context: CommandContext, _ access: SluicectlParts.Access, _ parts: SluicectlParts) {
        self.init(
            configuration: context.configuration, access: access, sharedKeys: parts.sharedKeys,
            clocks: context.clocks, timeout: context.timeout)
    }
}
