internal import AppStoreModel
internal import CommandLine
internal import Configuration
internal import Kafka
internal import Lifecycle
internal import PipelineRuntime
internal import Records
internal import ServiceKit

/// `sluicectl tap`: reads, decodes and prints the records in a topic.
struct TapCommand {
    let configuration: Configuration
    /// Yields when the operator interrupts the command.
    let interruption: AsyncStream<String>
    /// Timeout for the brokers' first response.
    let timeout: Duration

    private var names: TopicNames { TopicNames(prefix: configuration[OperationsSettings.topicsPrefix]) }
    private var follows: Bool { !configuration[OperationsSettings.noFollow] }
    private var from: AppStoreInstant? { configuration[OperationsSettings.tapFrom] }
    /// The start position if no time is requested or the brokers cannot look up offsets by time. In the latter case,
    /// earlier records are filtered out.
    private var start: TapStart {
        configuration[OperationsSettings.tapStart] ?? (follows && from == nil ? .end : .beginning)
    }

    func run(_ console: Console) async throws -> ExitCode {
        let topic = try topic()
        let brokers = try Brokers(configuration, timeout: timeout)
        let admin = try brokers.admin()
        let isEmbedded: Bool
        let offsets: [KafkaTopicPartition: KafkaOffset]
        var certificates: [KafkaTopicPartition: KafkaOffset]?
        do {
            isEmbedded = try await brokers.isEmbedded(admin)
            offsets = try await startOffsets(of: topic, admin, isEmbedded: isEmbedded)
            if isSigned { certificates = try await watermarks(of: names.certificates, admin).mapValues(\.low) }
        } catch {
            await admin.close(within: .seconds(1))
            throw error
        }
        await admin.close(within: .seconds(1))
        if follows { console.complain("following \(topic), \(offsets.count) partitions; press Ctrl-C to stop") }
        let kafka = try brokers.readerConfiguration(isEmbedded: isEmbedded)
        let reader = TapReader(kafka: kafka, offsets: offsets, follows: follows)
        if let certificates {
            return try await printSigned(
                reader, TapReader(kafka: kafka, offsets: certificates, follows: true), console)
        }
        let printer = TapPrinter(
            console, output: configuration[OperationsSettings.output], names: names,
            count: configuration[OperationsSettings.recordLimit])
        let filter = TapFilter(configuration)
        try await reader.run(interruption: interruption, warn: { console.complain("sluicectl: \($0)") }) {
            await printer.take($0.filter(filter.matches))
        }
        return .ok
    }

    private var isSigned: Bool { configuration[OperationsSettings.signed] }

    /// Prints the compact JWS of each record while concurrently reading the certificates topic.
    private func printSigned(
        _ records: TapReader, _ certificates: TapReader, _ console: Console
    ) async throws -> ExitCode {
        let directory = CertificateDirectory()
        let printer = SignedPrinter(
            console, names: names, certificates: directory, timeout: timeout,
            count: configuration[OperationsSettings.recordLimit])
        let warn: @Sendable (String) -> Void = { console.complain("sluicectl: \($0)") }
        try await withThrowingTaskGroup(of: Void.self) { group in
            let filter = TapFilter(configuration)
            group.addTask {
                try await records.run(interruption: interruption, warn: warn) {
                    await printer.take($0.filter(filter.matches))
                }
            }
            group.addTask {
                // This stream never yields: the task group cancels this task once the other task has printed all
                // records.
                let (never, continuation) = AsyncStream.makeStream(of: String.self)
                defer { continuation.finish() }
                try await certificates.run(interruption: never, warn: warn) {
                    directory.take($0)
                    return true
                }
            }
            defer { group.cancelAll() }
            try await group.next()
        }
        if let failure = await printer.failure { throw failure }
        return await printer.skipped == 0 ? .ok : .failure
    }

    /// Returns the first offset to read in each partition.
    private func startOffsets(
        of topic: KafkaTopic, _ admin: KafkaAdmin, isEmbedded: Bool
    ) async throws -> [KafkaTopicPartition: KafkaOffset] {
        let watermarks = try await watermarks(of: topic, admin)
        // The embedded broker cannot look up offsets by time.
        if let from, !isEmbedded { return try await admin.offsets(in: topic, at: from.millisecondsSince1970) }
        return watermarks.mapValues { TapReader.offset(of: start, low: $0.low, high: $0.high) }
    }

    private func topic() throws(StartupError) -> KafkaTopic {
        guard !isSigned || configuration[OperationsSettings.output] == .text else {
            throw StartupError(
                "--signed always prints a compact JWS per line", fix: "Remove --output",
                exitCode: .usage)
        }
        guard from == nil || configuration[OperationsSettings.tapStart] == nil else {
            throw StartupError(
                "--start and --from are mutually exclusive", fix: "Pass only one of them", exitCode: .usage)
        }
        let topic = configuration[OperationsSettings.topic]
        let environment = configuration[OperationsSettings.tapEnvironment]
        let isQuarantine = configuration[OperationsSettings.quarantine]
        let given = [topic != nil, environment != nil, isQuarantine].count { $0 }
        guard given <= 1 else {
            throw StartupError(
                "--topic, --environment and --quarantine are mutually exclusive", fix: "Pass only one of them",
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
            if error.code == .topicAuthorizationFailed { throw StartupError(missing: topic, denied: [topic]) }
            guard error.code == .unknownTopic else {
                throw StartupError(
                    error.description, fix: "Check the leaders of the topic's partitions: kafka-topics.sh --describe")
            }
            let isNamed = configuration[OperationsSettings.topic] != nil
            throw StartupError(
                "topic \(PlainText.printable(topic.rawValue)) does not exist",
                setting: isNamed ? "--topic" : OperationsSettings.topicsPrefix.key,
                fix: isNamed
                    ? "Use an existing topic, such as \(names.quarantine)"
                    : "Create the topics with: sluicectl topics apply, or correct the setting")
        }
    }
}
