internal import Configuration
internal import Kafka
internal import Lifecycle
internal import NotificationRecord
internal import PipelineRuntime
internal import Telemetry

/// A new database and a group that has read already do not go together: what was read before would be missing from
/// every answer, silently.
enum RebuildCheck {
    /// - Throws: one clear line with the command that makes the group read from the beginning.
    static func run(_ context: ConsumerContext, _ store: EntitlementsStore, _ topics: TopicNames) async throws {
        guard try !store.isCompleteFromStart() else { return }
        let admin: KafkaAdmin
        do {
            admin = try KafkaAdmin(context.kafka)
        } catch {
            throw StartupError(error.message, setting: "kafka.*", fix: "Correct the property", exitCode: .configuration)
        }
        let hasRead = await hasRead(admin, context.group, topics)
        await admin.close(within: .seconds(1))
        guard hasRead else { return try store.markCompleteFromStart(at: Logger.wallClockMilliseconds()) }
        let names = RecordEnvironment.allCases.map { topics.notifications($0).rawValue }
        throw StartupError(
            "the database is new, but group \(context.group) has read records before, which would be missing",
            setting: EntitlementsSettings.dataDirectory.key,
            fix: """
                Bring the database back, or rebuild it: kafka-consumer-groups.sh --bootstrap-server \
                \(context.kafka.bootstrapServers) --group \(context.group) --reset-offsets --to-earliest --execute \
                \(names.map { "--topic \($0)" }.joined(separator: " "))
                """,
            exitCode: .configuration)
    }

    /// Whether the group is past the beginning of the log anywhere.
    private static func hasRead(
        _ admin: KafkaAdmin, _ group: KafkaConsumerGroup, _ topics: TopicNames
    ) async -> Bool {
        for environment in RecordEnvironment.allCases {
            let topic = KafkaTopic(rawValue: topics.notifications(environment).rawValue)
            // Where the brokers do not say, the pipeline will say so itself.
            guard let watermarks = try? await admin.watermarks(of: topic),
                let offsets = try? await admin.committedOffsets(
                    of: group, partitions: Array(watermarks.keys))
            else { continue }
            for (partition, watermark) in watermarks {
                if let next = offsets[partition], next > watermark.low { return true }
            }
        }
        return false
    }
}
