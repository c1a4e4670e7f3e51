internal import AppStoreModel
internal import CommandLine
internal import Configuration
internal import JSON
internal import Kafka
internal import Lifecycle
internal import PipelineRuntime
internal import Records

/// `sluicectl entitlements rebuild`: makes the sluice-entitlements group read all notifications again.
///
/// Merging facts is a join: neither their order nor repetition matters. Rereading therefore adds facts that an earlier
/// version ignored, without losing or changing existing ones.
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
        let offsets = try await GroupOffsets.beginnings(
            of: AppStoreEnvironment.published.map(names.notifications), for: group, admin)
        let isDone = configuration[OperationsSettings.yes]
        if isDone { try await offsets.commit(admin, executable: "sluice-entitlements") }
        await print(offsets, isDone: isDone, console)
        guard isDone else { throw StartupError("nothing was changed", fix: "Run the command again with --yes") }
        return .ok
    }

    private func print(_ offsets: GroupOffsets, isDone: Bool, _ console: Console) async {
        var writer = JSONWriter()
        writer.object { object in
            object.set("ok", isDone)
            offsets.write(to: &object)
        }
        await console.write(
            configuration,
            text: "group \(offsets.group) \(isDone ? "reads" : "would read") from the beginning\n\n" + offsets.text,
            json: writer.bytes)
    }
}
