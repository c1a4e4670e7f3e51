package import Configuration
public import Kafka
package import Lifecycle
internal import ServiceKit
package import Telemetry

/// A consumer as an executable: command line and configuration, log, admin listener, topics checked at start, dead
/// letters, the pipeline, and shutdown. What is left to a consumer is its handler and its own settings.
///
/// ```swift
/// @main struct Example {
///     static func main() async {
///         await ConsumerApplication(
///             name: "example", summary: "Counts notifications.", adminPort: 9470,
///             topics: ["appstore.notifications.production"]
///         ) { .records(CountingHandler()) }.main()
///     }
/// }
/// ```
///
/// Start order: the consumer's own services, dead letter producer, admin listener, pipeline; stopped in reverse. The
/// process ends with 66 when records were deleted before they were read, 78 when the configuration or a topic is wrong.
public struct ConsumerApplication: Sendable {
    /// The command line: its name, its schema and its help.
    package private(set) var command: Command
    private let adminPort: Setting<Int>
    private let group: Setting<String>
    private let topics: @Sendable (Configuration) throws -> ConsumerTopics
    private let build: @Sendable (ConsumerContext) async throws -> ConsumerParts

    /// A consumer without settings of its own.
    ///
    /// - Parameters:
    ///   - name: as operators type it; also the consumer group unless `kafka.group.id` says otherwise.
    ///   - summary: one sentence for `--help`.
    ///   - adminPort: the default of `admin.port`.
    ///   - topics: what is read.
    ///   - handler: made after the topics were checked and before the first record.
    public init(
        name: String, summary: String, adminPort: Int, topics: [KafkaTopic],
        handler: @escaping @Sendable () async throws -> PipelineHandler
    ) {
        self.init(
            name: name, summary: summary, adminPort: adminPort, schema: ConfigurationSchema(),
            topics: { _ in ConsumerTopics(input: topics.map(KafkaTopicExpectation.init(topic:))) }
        ) { _ in try await ConsumerParts(handler: handler()) }
    }

    /// A consumer with settings of its own.
    ///
    /// - Parameters:
    ///   - schema: its settings, beside those of every consumer.
    ///   - topics: from the configuration: what is read, and what else must be there.
    ///   - build: makes handler and services; throws a `ConfigurationError` or `StartupError` when it cannot.
    package init(
        name: String, summary: String, discussion: String = "", adminPort: Int, schema: ConfigurationSchema,
        examples: [Command.Example] = [], topics: @escaping @Sendable (Configuration) throws -> ConsumerTopics,
        build: @escaping @Sendable (ConsumerContext) async throws -> ConsumerParts
    ) {
        self.adminPort = ApplicationSettings.adminPort(default: adminPort)
        group = ConsumerSettings.group(default: name)
        self.topics = topics
        self.build = build
        let common = ConfigurationSchema(
            ApplicationSettings.all + [self.adminPort, group] + ConsumerSettings.all,
            openPrefixes: [ApplicationSettings.kafka])
        command = Command(
            name, summary: summary, discussion: discussion, schema: common.adding(schema), examples: examples,
            version: Build.version)
    }

    /// The same consumer, which also tolerates the keys of other executables in the file and environment that it shares
    /// with them. Any other key that is not its own remains an error.
    ///
    /// - Parameter keys: keys, and prefixes that end with a dot.
    public func tolerating(_ keys: [String]) -> ConsumerApplication {
        var application = self
        application.command = command.tolerating(keys)
        return application
    }

    /// Runs until SIGTERM or SIGINT, or until the pipeline cannot go on, and ends the process.
    public func main() async -> Never {
        MemoryArenas.limit()
        let configuration = command.parseOrExit().configuration
        let logger = ApplicationSettings.logger(command.name, configuration)
        await runApplication(logger: logger, maximumShutdown: configuration[ConsumerSettings.shutdownLimit]) {
            try await services(configuration, logger: logger, metrics: MetricsRegistry())
        }
    }

    /// Everything that runs, in start order.
    ///
    /// - Throws: a ``StartupError``, with 78 for what is wrong in the configuration.
    package func services(
        _ configuration: Configuration, logger: Logger, metrics: MetricsRegistry
    ) async throws -> [any Service] {
        do {
            return try await assemble(configuration, logger: logger, metrics: metrics)
        } catch let error as ConfigurationError {
            throw StartupError(
                error.description, fix: "What is expected: \(command.name) --help", exitCode: .configuration)
        }
    }

    private func assemble(
        _ configuration: Configuration, logger: Logger, metrics: MetricsRegistry
    ) async throws -> [any Service] {
        metrics.collectProcessMetrics()
        metrics.buildInfo("sluice_build_info", labels: [MetricLabel("version", Build.version)])
        let declared = try topics(configuration)
        let options = options(configuration, declared)
        let checked = try await TopicPreflight.run(
            ApplicationSettings.kafkaConfiguration(configuration, clientId: command.name),
            topics: declared.input + declared.others
                + options.deadLetterTopics.map(KafkaTopicExpectation.init(topic:)),
            profile: configuration[ApplicationSettings.profile])
        for warning in checked.warnings {
            logger.warning("given up by profile single-node", [LogField(.finding, warning)])
        }
        for finding in checked.advice {
            logger.warning("a topic is not as it should be", [LogField(.finding, finding)])
        }
        let parts = try await build(
            ConsumerContext(
                configuration: configuration, kafka: checked.kafka, group: options.group, logger: logger,
                metrics: metrics))
        let deadLetters = try DeadLetterProducer(checked.kafka, topics: options.deadLetterTopics, logger: logger)
        let pipeline = PipelineConsumer(
            kafka: checked.kafka, options: parts.adjusted(options), handler: parts.handler,
            sendDeadLetter: { try await deadLetters.send($0) }, logger: logger, metrics: metrics)
        let admin = AdminService(
            host: configuration[ApplicationSettings.adminHost], port: configuration[adminPort], logger: logger,
            metrics: metrics, readiness: [AdminListener.Check("kafka") { pipeline.obstacle }] + parts.readiness,
            liveness: [AdminListener.Check("kafka") { pipeline.isLive ? nil : "the client is stuck" }])
        return parts.services + [ConsumerService(deadLetters: deadLetters, admin: admin, pipeline: pipeline)]
    }

    private func options(_ configuration: Configuration, _ declared: ConsumerTopics) -> PipelineOptions {
        var options = PipelineOptions(
            group: KafkaConsumerGroup(rawValue: configuration[group]), topics: declared.input.map(\.topic))
        options.maximumAttempts = configuration[ConsumerSettings.attempts]
        options.drainLimit = configuration[ConsumerSettings.drainLimit]
        options.groupInstanceId = configuration[ConsumerSettings.groupInstanceId]
        return options
    }
}
