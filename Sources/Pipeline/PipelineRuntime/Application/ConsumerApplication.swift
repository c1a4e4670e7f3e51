public import Configuration
public import Kafka
package import Lifecycle
package import ServiceKit
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
/// Start order: admin listener, which answers while the rest starts; topics are checked; the consumer is built; its own
/// services; the pipeline with its dead letters. Stopped in reverse. The process ends with 65 when a topic is
/// damaged, 66 when records were deleted before they were read, 75 when a handler did not return in time, 78 when the configuration or a topic is wrong.
public struct ConsumerApplication: Sendable {
    /// The command line: its name, its schema and its help.
    package private(set) var command: Command
    private let adminPort: Setting<Int>
    private let group: Setting<String>
    private let groupInstanceId: Setting<String?>
    private let consumers: @Sendable (Configuration) throws -> [NamedConsumer]
    private let topics: @Sendable (Configuration) throws -> ConsumerTopics
    private let build: @Sendable (ConsumerContext) async throws -> ConsumerParts

    /// A consumer without settings of its own.
    ///
    /// - Parameters:
    ///   - name: as operators type it; also the consumer group unless `<name>.group.id` says otherwise.
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
    ///   - name: as operators type it; also the consumer group unless `<name>.group.id` says otherwise.
    ///   - summary: one sentence for `--help`.
    ///   - discussion: more for `--help`, in paragraphs.
    ///   - adminPort: the default of `admin.port`.
    ///   - schema: its settings, beside those of every consumer, and the prefix of its environment variables.
    ///   - examples: command lines for `--help`.
    ///   - topics: from the configuration: what is read, and what else must be there.
    ///   - build: makes handler and services, while the admin listener answers already; throws a `ConfigurationError` or
    ///     `StartupError` when it cannot.
    public init(
        name: String, summary: String, discussion: String = "", adminPort: Int, schema: ConfigurationSchema,
        examples: [Command.Example] = [], topics: @escaping @Sendable (Configuration) throws -> ConsumerTopics,
        build: @escaping @Sendable (ConsumerContext) async throws -> ConsumerParts
    ) {
        self.init(
            name: name, summary: summary, discussion: discussion, adminPort: adminPort, schema: schema,
            examples: examples, consumers: { [NamedConsumer(configuration: $0)] }, topics: topics,
            build: build)
    }

    /// Several consumers of one kind, as many as the configuration names: `topics` and `build` are called for each.
    package init(
        name: String, summary: String, discussion: String, adminPort: Int, schema: ConfigurationSchema,
        examples: [Command.Example], consumers: @escaping @Sendable (Configuration) throws -> [NamedConsumer],
        topics: @escaping @Sendable (Configuration) throws -> ConsumerTopics,
        build: @escaping @Sendable (ConsumerContext) async throws -> ConsumerParts
    ) {
        self.adminPort = ApplicationSettings.adminPort(default: adminPort)
        group = ConsumerSettings.group(of: name)
        groupInstanceId = ConsumerSettings.groupInstanceId(of: name)
        self.consumers = consumers
        self.topics = topics
        self.build = build
        let common = ConfigurationSchema(
            ApplicationSettings.all + [self.adminPort, group, groupInstanceId] + ConsumerSettings.all,
            openPrefixes: [ApplicationSettings.kafka], variables: schema.variables)
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
        // Before other threads, so that each has an arena of its own: a later one shares that of another.
        HandlerThreads.shared.begin()
        MemoryArenas.giveBack()
        let configuration = command.parseOrExit().configuration
        let logger = ApplicationSettings.logger(command.name, configuration)
        let metrics = MetricsRegistry()
        let admin = admin(configuration, logger: logger, metrics: metrics)
        await runApplication(
            logger: logger, maximumShutdown: configuration[ConsumerSettings.shutdownLimit], first: [admin]
        ) {
            try await services(configuration, admin: admin, logger: logger, metrics: metrics)
        }
    }

    /// What is started first.
    package func admin(_ configuration: Configuration, logger: Logger, metrics: MetricsRegistry) -> AdminService {
        AdminService(
            host: configuration[ApplicationSettings.adminHost], port: configuration[adminPort], logger: logger,
            metrics: metrics)
    }

    /// Everything else that runs, in start order.
    ///
    /// - Throws: a ``StartupError``, with 78 for what is wrong in the configuration.
    package func services(
        _ configuration: Configuration, admin: AdminService, logger: Logger, metrics: MetricsRegistry
    ) async throws -> [any Service] {
        do {
            return try await assemble(configuration, admin, logger, metrics)
        } catch let error as ConfigurationError {
            throw StartupError(
                error.description, fix: "What is expected: \(command.name) --help", exitCode: .configuration)
        }
    }

    /// The same with an admin listener in front, for tests.
    package func services(
        _ configuration: Configuration, logger: Logger, metrics: MetricsRegistry
    ) async throws -> [any Service] {
        let admin = admin(configuration, logger: logger, metrics: metrics)
        return [admin] + (try await services(configuration, admin: admin, logger: logger, metrics: metrics))
    }

    private func assemble(
        _ configuration: Configuration, _ admin: AdminService, _ logger: Logger, _ metrics: MetricsRegistry
    ) async throws -> [any Service] {
        metrics.collectProcessMetrics()
        metrics.buildInfo("sluice_build_info", labels: [MetricLabel("version", Build.version)])
        let credentials = KafkaCredentialFiles(configuration, logger: logger, metrics: metrics)
        var parts = ConsumerParts(handler: nil)
        var members: [ConsumerService.Member] = []
        let consumers = try consumers(configuration)
        for consumer in consumers {
            let (own, member) = try await assemble(
                consumer, of: consumers.count, logger: consumer.logger(logger), metrics: consumer.metrics(metrics))
            members.append(member)
            parts.services += own.services
            parts.readiness += own.readiness.map(consumer.check)
            parts.liveness += own.liveness.map(consumer.check)
            parts.pages += own.pages.map(consumer.page)
        }
        admin.check(readiness: parts.readiness, liveness: parts.liveness, pages: parts.pages)
        return [credentials] + parts.services + [ConsumerService(members, admin: admin)]
    }

    /// One consumer, and its parts with the checks of the pipeline in front.
    ///
    /// - Parameter count: the consumers of the process, which share its memory.
    private func assemble(
        _ consumer: NamedConsumer, of count: Int, logger: Logger, metrics: MetricsRegistry
    ) async throws -> (ConsumerParts, ConsumerService.Member) {
        let configuration = consumer.configuration
        let declared = try topics(configuration)
        var configured = options(configuration, declared)
        let kafka = try await check(configuration, declared, &configured, logger)
        configured.inputPartitions = configured.inputPartitions.map { $0 * count }
        configured.maximumUnfinishedTotalBytes /= max(1, count)
        let handled = HandledOffsets()
        var parts = try await build(
            ConsumerContext(
                configuration: configuration, kafka: kafka, group: configured.group, logger: logger, metrics: metrics,
                options: configured, handled: handled))
        let options = parts.options ?? configured
        let deadLetters = try DeadLetterProducer(kafka, topics: options.deadLetterTopics, logger: logger)
        let pipeline = parts.handler.map { handler in
            PipelineConsumer(
                kafka: kafka, options: options, handler: handler,
                sendDeadLetter: { try await deadLetters.send($0) }, logger: logger, metrics: metrics,
                callFile: callFile(configuration, options, logger), handled: handled)
        }
        parts.readiness.insert(HealthCheck("kafka") { pipeline?.obstacle }, at: 0)
        parts.liveness.insert(
            HealthCheck("kafka") { pipeline?.isLive ?? true ? nil : "the client is stuck" }, at: 0)
        return (parts, ConsumerService.Member(deadLetters: deadLetters, pipeline: pipeline))
    }

    /// Compares the topics with what is expected of them, and notes how many partitions are read.
    private func check(
        _ configuration: Configuration, _ declared: ConsumerTopics, _ options: inout PipelineOptions, _ logger: Logger
    ) async throws -> KafkaConfiguration {
        let checked = try await TopicPreflight.run(
            ApplicationSettings.kafkaConfiguration(configuration, clientId: command.name),
            topics: declared.input + declared.others
                + options.deadLetterTopics.map(KafkaTopicExpectation.init(topic:)),
            profile: ApplicationSettings.deployment(configuration))
        for warning in checked.warnings {
            logger.warning("tolerated by profile single-node", [LogField(.finding, warning)])
        }
        for finding in checked.advice {
            logger.warning("topic configuration mismatch", [LogField(.finding, finding)])
        }
        options.inputPartitions = options.topics.reduce(0) { $0 + (checked.partitions[$1] ?? 0) }
        var kafka = checked.kafka
        kafka.readerGroup = options.group.rawValue
        return kafka
    }

    /// A consumer whose directory cannot be written runs without it.
    private func callFile(
        _ configuration: Configuration, _ options: PipelineOptions, _ logger: Logger
    ) -> CallFile? {
        let directory = configuration[ConsumerSettings.dataDirectory]
        do {
            return try CallFile.open(name: options.group.rawValue, in: directory)
        } catch {
            logger.warning(
                "crashes of the handler are not counted", [LogField(.path, directory), LogField(.error, "\(error)")])
            return nil
        }
    }

    private func options(_ configuration: Configuration, _ declared: ConsumerTopics) -> PipelineOptions {
        var options = PipelineOptions(
            group: KafkaConsumerGroup(rawValue: configuration[group]), topics: declared.input.map(\.topic))
        options.deadLetterTopic = declared.deadLetters
        options.maximumAttempts = configuration[ConsumerSettings.attempts]
        options.drainLimit = configuration[ConsumerSettings.drainLimit]
        options.recordDeadline = configuration[ConsumerSettings.recordDeadline]
        options.groupInstanceId = configuration[groupInstanceId]
        return options
    }
}
