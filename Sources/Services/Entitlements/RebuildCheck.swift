internal import Configuration
internal import Kafka
internal import Lifecycle
internal import NotificationRecord
internal import PipelineRuntime
internal import Telemetry

/// A new database and a group that has read already do not go together: what was read before would be missing from
/// every answer, silently.
enum RebuildCheck {
    /// - Parameters:
    ///   - limit: how long the brokers may take for each question.
    /// - Throws: one clear line: with the command that makes the group read from the beginning, or that the brokers do
    ///   not say what the group has read. A file is marked complete only by an answer.
    static func run(
        _ context: ConsumerContext, _ store: EntitlementsStore, _ topics: TopicNames,
        within limit: Duration = .seconds(10)
    ) async throws {
        guard try !store.isCompleteFromStart() else { return }
        let names = RecordEnvironment.allCases.map { KafkaTopic(rawValue: topics.notifications($0).rawValue) }
        if try await hasRead(context, names, within: limit) { throw incomplete(context, names) }
        try store.markCompleteFromStart(at: Logger.wallClockMilliseconds())
    }

    private static func hasRead(
        _ context: ConsumerContext, _ topics: [KafkaTopic], within limit: Duration
    ) async throws(StartupError) -> Bool {
        let admin: KafkaAdmin
        do {
            admin = try KafkaAdmin(context.kafka)
        } catch {
            throw StartupError(error.message, setting: "kafka.*", fix: "Correct the property", exitCode: .configuration)
        }
        do throws(KafkaError) {
            let isPast = try await patiently(within: limit) { () async throws(KafkaError) -> Bool in
                try await hasRead(admin, context.group, topics, within: limit)
            }
            await admin.close(within: .seconds(1))
            return isPast
        } catch {
            await admin.close(within: .seconds(1))
            throw StartupError(
                """
                the database is new, and the brokers do not say whether group \(context.group) has read before: \
                \(error.message)
                """,
                setting: ApplicationSettings.bootstrapServers.key,
                fix: "Start again when the brokers answer; the group and its topics must be readable to this user")
        }
    }

    /// Asks again while the answer is one that passes by itself, as for topics and groups that were made a moment ago.
    private static func patiently<Answer>(
        within limit: Duration, _ ask: () async throws(KafkaError) -> Answer
    ) async throws(KafkaError) -> Answer {
        let end = ContinuousClock.now + limit
        while true {
            do throws(KafkaError) {
                return try await ask()
            } catch {
                guard error.isRetriable, ContinuousClock.now < end, !Task.isCancelled else { throw error }
                try? await Task.sleep(for: .milliseconds(200))
            }
        }
    }

    /// Whether the group is past the beginning of the log anywhere.
    private static func hasRead(
        _ admin: KafkaAdmin, _ group: KafkaConsumerGroup, _ topics: [KafkaTopic], within limit: Duration
    ) async throws(KafkaError) -> Bool {
        for topic in topics {
            let watermarks = try await admin.watermarks(of: topic, within: limit)
            let offsets = try await admin.committedOffsets(
                of: group, partitions: Array(watermarks.keys), within: limit)
            let isPast = watermarks.contains { partition, watermark in
                offsets[partition].map { $0 > watermark.low } ?? false
            }
            if isPast { return true }
        }
        return false
    }

    private static func incomplete(_ context: ConsumerContext, _ topics: [KafkaTopic]) -> StartupError {
        StartupError(
            "the database is new, but group \(context.group) has read records before, which would be missing",
            setting: EntitlementsSettings.dataDirectory.key,
            fix: """
                Bring the database back, or rebuild it: kafka-consumer-groups.sh --bootstrap-server \
                \(context.kafka.bootstrapServers) --group \(context.group) --reset-offsets --to-earliest --execute \
                \(topics.map { "--topic \($0)" }.joined(separator: " "))
                """,
            exitCode: .configuration)
    }
}
