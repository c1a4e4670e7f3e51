internal import CommandLine
internal import Configuration
internal import JSON
internal import Kafka
internal import Lifecycle
internal import Records
internal import ServiceKit

/// The format in which topics are printed with `--output text`.
enum TopicsFormat: String, CaseIterable, Sendable {
    case text, strimzi
}

/// `sluicectl topics list`: prints the topics of an installation as they would be created, without contacting a broker.
struct TopicsListCommand {
    let configuration: Configuration
    let access: SluicectlParts.Access?

    func run(_ console: Console) async throws -> ExitCode {
        let format = configuration[OperationsSettings.topicsFormat]
        let output = configuration[OperationsSettings.output]
        guard output == .text || format == .text else {
            throw StartupError(
                "--output json and --format \(format.rawValue) are mutually exclusive", fix: "Pass only one of them",
                exitCode: .usage)
        }
        switch (output, format) {
        case (.json, _):
            let topics = JSONValue.array(topics.map { .object($0.json) })
            await console.write(line: JSONValue.object([OutputName.topics: topics]).json)
        case (.text, .text): await console.write(text)
        case (.text, .strimzi): await console.write(try strimzi())
        }
        return .ok
    }

    private var text: String {
        PlainText.table(
            [["TOPIC", "PARTITIONS", "REPLICAS", "SETTINGS"]]
                + topics.map { topic in
                    [
                        PlainText.printable(topic.specification.name.rawValue), String(topic.specification.partitions),
                        topic.replicasText,
                        topic.settings.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
                            .joined(separator: " "),
                    ]
                })
    }

    private func strimzi() throws -> String {
        guard let cluster = configuration[OperationsSettings.strimziCluster] else {
            throw StartupError(
                "a KafkaTopic requires the label strimzi.io/cluster",
                setting: OperationsSettings.strimziCluster.key,
                fix: "Specify the name of the Kafka resource, such as --cluster kafka",
                exitCode: .usage)
        }
        var names: Set<String> = []
        for topic in topics where !names.insert(topic.resourceName).inserted {
            throw StartupError(
                "two topics would have the KafkaTopic name \(topic.resourceName)",
                setting: OperationsSettings.topicsPrefix.key,
                fix: "Choose names that differ in more than letter case, underscores and hyphens", exitCode: .usage)
        }
        return topics.map { $0.strimzi(cluster: cluster) }.joined(separator: "---\n")
    }

    private var topics: [ListedTopic] {
        let demands = TopicDemands(
            profile: ApplicationSettings.deployment(configuration),
            replicationFactor: configuration[OperationsSettings.replicationFactor])
        let names = TopicNames(prefix: configuration[OperationsSettings.topicsPrefix])
        let receivers = access?.options(configuration).webhookReceivers ?? []
        return
            names
            .specifications(
                partitions: configuration[OperationsSettings.partitions]
                    ?? configuration[OperationsSettings.topicsPartitions],
                groups: (configuration[OperationsSettings.groups] ?? []) + names.furtherGroups(receivers),
                stateTopics: configuration[OperationsSettings.stateTopics] ?? [], receivers: receivers
            )
            .map { specification in
                ListedTopic(
                    specification: specification, replicationFactor: demands.replicationFactor,
                    settings: demands.settings(of: specification))
            }
    }
}
