internal import AppStoreModel
internal import Configuration
internal import JSON
internal import Kafka
internal import Lifecycle
internal import PipelineRuntime
internal import Records

/// `sluicectl entitlements rebuild`: the group reads all notifications again.
///
/// State is a join, so nothing that is known is lost or changed by it; what an earlier version left out comes in.
struct RebuildCommand {
    let configuration: Configuration
    let timeout: Duration

    func run(_ console: Console) async throws -> ExitCode {
        let brokers = try Brokers(configuration, timeout: timeout)
        return try await brokers.admin().closing { try await run($0, brokers, console) }
    }

    private func run(_ admin: KafkaAdmin, _ brokers: Brokers, _ console: Console) async throws -> ExitCode {
        _ = try await brokers.isEmbedded(admin)
        let group = KafkaConsumerGroup(rawValue: configuration[OperationsSettings.entitlementsGroup])
        let names = TopicNames(prefix: configuration[OperationsSettings.topicsPrefix])
        var beginnings: [KafkaTopicPartition: KafkaOffset] = [:]
        for environment in AppStoreEnvironment.published {
            let topic = names.notifications(environment)
            for (partition, watermarks) in try await admin.watermarks(of: topic) {
                beginnings[partition] = watermarks.low
            }
        }
        let committed = try await admin.committedOffsets(of: group, partitions: Array(beginnings.keys))
        let isDone = configuration[OperationsSettings.yes]
        if isDone {
            do {
                try await admin.alterOffsets(of: group, to: beginnings)
            } catch {
                throw StartupError(
                    "the group was not set back: \(error.message)",
                    fix: "Stop every sluice-entitlements first: a group that has members keeps its offsets")
            }
        }
        await print(Plan(group: group, beginnings: beginnings, committed: committed, isDone: isDone), console)
        guard isDone else { throw StartupError("nothing was changed", fix: "Repeat it with --yes") }
        return .ok
    }

    private struct Plan {
        let group: KafkaConsumerGroup
        let beginnings: [KafkaTopicPartition: KafkaOffset]
        let committed: [KafkaTopicPartition: KafkaOffset]
        let isDone: Bool

        var partitions: [KafkaTopicPartition] {
            beginnings.keys.sorted {
                ($0.topic.rawValue, $0.partition) < ($1.topic.rawValue, $1.partition)
            }
        }
    }

    private func print(_ plan: Plan, _ console: Console) async {
        switch configuration[OperationsSettings.output] {
        case .text:
            let rows = plan.partitions.map { partition in
                [
                    partition.topic.rawValue, "\(partition.partition)",
                    plan.committed[partition].map { "\($0.rawValue)" } ?? "-",
                    plan.beginnings[partition].map { "\($0.rawValue)" } ?? "-",
                ]
            }
            await console.write(
                "group \(plan.group) \(plan.isDone ? "reads" : "would read") from the beginning\n\n"
                    + PlainText.table([["TOPIC", "PARTITION", "FROM", "TO"]] + rows))
        case .json:
            var writer = JSONWriter()
            writer.object { object in
                object.set("ok", plan.isDone)
                object.set("group", plan.group.rawValue)
                object.array("partitions") { array in
                    for partition in plan.partitions {
                        array.object {
                            $0.set("topic", partition.topic.rawValue)
                            $0.set("partition", partition.partition.rawValue)
                            $0.set("from", plan.committed[partition]?.rawValue)
                            $0.set("to", plan.beginnings[partition]?.rawValue)
                        }
                    }
                }
            }
            await console.write(line: writer.bytes)
        }
    }
}
