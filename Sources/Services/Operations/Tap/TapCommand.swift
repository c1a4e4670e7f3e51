internal import AppStoreModel
internal import Configuration
internal import Kafka
internal import Lifecycle
internal import PipelineRuntime
internal import Records

/// `sluicectl tap`: follows the records of a topic, decoded.
struct TapCommand {
    let configuration: Configuration
    /// Yields when the operator wants it to end.
    let interruption: AsyncStream<String>
    /// Timeout for the brokers' first answer.
    let timeout: Duration

    private var names: TopicNames { TopicNames(prefix: configuration[OperationsSettings.topicsPrefix]) }
    private var follows: Bool { !configuration[OperationsSettings.noFollow] }
    private var start: TapStart { configuration[OperationsSettings.from] ?? (follows ? .end : .beginning) }

    func run(_ console: Console) async throws -> ExitCode {
        let topic = try topic()
        let brokers = try Brokers(configuration, timeout: timeout)
        let admin = try brokers.admin()
        let isEmbedded: Bool
        let offsets: [KafkaTopicPartition: KafkaOffset]
        do {
            isEmbedded = try await brokers.isEmbedded(admin)
            offsets = try await watermarks(of: topic, admin).mapValues {
                TapReader.offset(of: start, low: $0.low, high: $0.high)
            }
        } catch {
            await admin.close(within: .seconds(1))
            throw error
        }
        await admin.close(within: .seconds(1))
        let output = configuration[OperationsSettings.output]
        if follows { console.complain("following \(topic), \(offsets.count) partitions; Ctrl-C ends it") }
        let printer = TapPrinter(
            console, output: output, names: names, count: configuration[OperationsSettings.count])
        let reader = TapReader(
            kafka: try brokers.readerConfiguration(isEmbedded: isEmbedded), offsets: offsets, follows: follows)
        try await reader.run(interruption: interruption, warn: { console.complain("sluicectl: \($0)") }) {
            await printer.take($0)
        }
        return .ok
    }

    private func topic() throws(StartupError) -> KafkaTopic {
        let topic = configuration[OperationsSettings.topic]
        let environment = configuration[OperationsSettings.tapEnvironment]
        let isQuarantine = configuration[OperationsSettings.quarantine]
        let given = [topic != nil, environment != nil, isQuarantine].count { $0 }
        guard given <= 1 else {
            throw StartupError(
                "--topic, --environment and --quarantine each choose the topic", fix: "Give one of them",
                exitCode: .usage)
        }
        if let topic { return KafkaTopic(rawValue: topic) }
        if isQuarantine { return names.quarantine }
        return names.notifications(environment ?? .production)
    }

    private func watermarks(
        of topic: KafkaTopic, _ admin: KafkaAdmin
    ) async throws(StartupError) -> [KafkaTopicPartition: KafkaWatermarks] {
        do {
            return try await admin.watermarks(of: topic)
        } catch {
            guard error.code == .unknownTopic else {
                throw StartupError(
                    error.description, fix: "Look at the leaders of its partitions: kafka-topics.sh --describe")
            }
            let isNamed = configuration[OperationsSettings.topic] != nil
            throw StartupError(
                "topic \(PlainText.printable(topic.rawValue)) does not exist",
                setting: isNamed ? "--topic" : OperationsSettings.topicsPrefix.key,
                fix: isNamed
                    ? "Name one that exists, such as \(names.quarantine)"
                    : "Create the topics with: sluicectl topics apply, or correct the setting")
        }
    }
}
