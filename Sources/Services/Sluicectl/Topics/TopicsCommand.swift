internal import AppStoreModel
internal import CommandLine
internal import Configuration
internal import JSON
internal import Kafka
internal import Lifecycle
internal import Records
internal import ServiceKit

/// `sluicectl topics apply` and `sluicectl topics check`: create missing topics, and compare existing ones with the
/// expected configuration.
struct TopicsCommand {
    let configuration: Configuration
    let access: SluicectlParts.Access?
    /// Timeout for the brokers' first response.
    let timeout: Duration

    private var names: TopicNames { TopicNames(prefix: configuration[OperationsSettings.topicsPrefix]) }
    private var demands: TopicDemands {
        TopicDemands(
            profile: ApplicationSettings.deployment(configuration),
            replicationFactor: configuration[OperationsSettings.replicationFactor])
    }

    func check(_ console: Console) async throws -> ExitCode {
        try await withAdmin { admin, isEmbedded in
            let plan = try await plan(admin, isEmbedded)
            return await finish(TopicReport(plan, missing: .missing, isEmbedded: isEmbedded), console)
        }
    }

    func apply(_ console: Console) async throws -> ExitCode {
        let isDryRun = configuration[OperationsSettings.dryRun]
        return try await withAdmin { admin, isEmbedded in
            let plan = try await plan(admin, isEmbedded)
            if isEmbedded || isDryRun {
                let missing: TopicReport.Status = isEmbedded ? .missing : .wouldBeCreated
                return await finish(TopicReport(plan, missing: missing, isEmbedded: isEmbedded), console)
            }
            let created = try await TopicCreation.create(plan.newTopics) { topics throws(KafkaError) in
                try await admin.createTopics(topics)
            }
            let leaderless = await LeaderWait.leaderless(
                plan.newTopics.filter { created.failures[$0.topic] == nil }
            ) { topics, left throws(KafkaError) in
                try await admin.describeTopics(topics, settings: .none, within: left)
            }
            return await finish(
                TopicReport(plan, missing: .created, creation: created, leaderless: leaderless), console)
        }
    }

    private func plan(_ admin: KafkaAdmin, _ isEmbedded: Bool) async throws -> TopicPlan {
        let partitions =
            configuration[OperationsSettings.partitions] ?? configuration[OperationsSettings.topicsPartitions]
        let receivers = access?.options(configuration).webhookReceivers ?? []
        let groups = (configuration[OperationsSettings.groups] ?? []) + names.furtherGroups(receivers)
        let stateTopics = configuration[OperationsSettings.stateTopics] ?? []
        let topics = names.specifications(
            partitions: partitions, groups: groups, stateTopics: stateTopics, receivers: receivers
        ).map { $0.name }
        return TopicPlan(
            names, partitions: partitions, groups: groups, stateTopics: stateTopics, receivers: receivers,
            demands: demands,
            found: try await admin.describeTopics(topics), isEmbedded: isEmbedded,
            bootstrapServers: configuration[ApplicationSettings.bootstrapServers])
    }

    private func finish(_ report: TopicReport, _ console: Console) async -> ExitCode {
        await console.write(configuration, text: report.text, json: report.json)
        return report.isGood ? .ok : .failure
    }

    private func withAdmin(
        _ body: (KafkaAdmin, _ isEmbedded: Bool) async throws -> ExitCode
    ) async throws -> ExitCode {
        let brokers = try Brokers(configuration, timeout: timeout)
        return try await brokers.admin().closing { try await body($0, try await brokers.isEmbedded($0)) }
    }
}
