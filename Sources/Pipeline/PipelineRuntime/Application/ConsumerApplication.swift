public import CommandLine
public import Configuration
public import Kafka
package import Lifecycle
internal import OTLP
internal import OperatorEvents
package import ServiceKit
package import Telemetry
internal import Tracing

/// A consumer as an executable. Provides the command line, configuration, logging, the admin listener, topic checks at
/// startup, dead letters, the pipeline, and shutdown. A consumer adds only its handler and its own settings.
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
/// The start order is: the admin listener, which responds while the rest starts; the topic checks; the consumer's
/// `build` closure; the control topic reader, which determines whether the group is paused; the consumer's own
/// services; the pipeline and its dead letter producer. The stop order is the reverse. The process exits with code 65
/// if a topic is damaged, 66 if records were deleted before they were read, 75 if a handler did not return in time, and
/// 78 if the configuration or a topic is wrong.
public struct ConsumerApplication: Sendable {
    /// The command line: name, settings and help.
    package private(set) var command: Command
    private let adminPort: Setting<Int>
    private let group: Setting<String>
    private let groupInstanceId: Setting<String?>
    private let consumers: @Sendable (Configuration) throws -> [NamedConsumer]
    private let topics: @Sendable (Configuration) throws -> ConsumerTopics
    private let build: @Sendable (ConsumerContext) async throws -> ConsumerParts

    /// Creates a consumer without additional settings.
    ///
    /// - Parameters:
    ///   - name: the name of the command, which is also the consumer group unless `<name>.group.id` is set.
    ///   - summary: one sentence for `--help`.
    ///   - adminPort: the default for `admin.port`.
    ///   - topics: the input topics.
    ///   - control: the control topic, such as `appstore.control`, or nil if the group cannot be paused.
    ///   - handler: creates the handler; called after the topic checks and before the first record is read.
    public init(
        name: String, summary: String, adminPort: Int, topics: [KafkaTopic], control: KafkaTopic? = nil,
        handler: @escaping @Sendable () async throws -> PipelineHandler
    ) {
        self.init(
            name: name, summary: summary, adminPort: adminPort, schema: ConfigurationSchema(),
            topics: { _ in
                ConsumerTopics(
                    input: topics.map(KafkaTopicExpectation.init(topic:)),
                    control: control.map(KafkaTopicExpectation.init(topic:)))
            }
        ) { _ in try await ConsumerParts(handler: handler()) }
    }

    /// Creates a consumer with additional settings.
    ///
    /// - Parameters:
    ///   - name: the name of the command, which is also the consumer group unless `<name>.group.id` is set.
    ///   - summary: one sentence for `--help`.
    ///   - discussion: additional paragraphs for `--help`.
    ///   - adminPort: the default for `admin.port`.
    ///   - schema: the settings that only this consumer has, and the prefix of its environment variables.
    ///   - examples: command lines for `--help`.
    ///   - topics: returns the input topics and other required topics for a configuration.
    ///   - build: creates the handler and the services while the admin listener is already running; throws a
    ///     `ConfigurationError` or a `StartupError` on failure.
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

    /// Creates a process with several consumers of one kind, one per name in the configuration. `topics` and `build`
    /// are called for each of them.
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

    /// Returns a copy that tolerates other executables' keys in the shared file and environment. Any other unknown key
    /// is still an error.
    ///
    /// - Parameter keys: keys, or prefixes that end with a dot.
    public func tolerating(_ keys: [String]) -> ConsumerApplication {
        var application = self
        application.command = command.tolerating(keys)
        return application
    }

    /// Runs until SIGTERM or SIGINT or until the pipeline fails, then ends the process.
    public func main() async -> Never {
        MemoryArenas.limit()
        // Start these threads first, so that each has a separate memory arena; later threads share one.
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

    /// Returns the topics that are checked at startup, without duplicates.
    ///
    /// - Throws: a `ConfigurationError`.
    package func requiredTopics(_ configuration: Configuration) throws -> [KafkaTopicExpectation] {
        var seen: Set<KafkaTopic> = []
        return try consumers(configuration).flatMap { consumer in
            let declared = try topics(consumer.configuration)
            return requiredTopics(
                consumer.configuration, declared, options(consumer.configuration, declared))
        }.filter { seen.insert($0.topic).inserted }
    }

    /// Returns the topics of one consumer, including the control topic and the dead letter topics.
    private func requiredTopics(
        _ configuration: Configuration, _ declared: ConsumerTopics, _ options: PipelineOptions
    ) -> [KafkaTopicExpectation] {
        declared.input + declared.others + operations(configuration, declared)
            + (declared.control.map { [$0] } ?? [])
            + options.deadLetterTopics.map(KafkaTopicExpectation.init(topic:))
    }

    /// Returns the port of the admin listener.
    package func adminPort(_ configuration: Configuration) -> Int { configuration[adminPort] }

    /// Returns the admin listener, which starts first.
    package func admin(_ configuration: Configuration, logger: Logger, metrics: MetricsRegistry) -> AdminService {
        AdminService(
            host: configuration[ApplicationSettings.adminHost], port: configuration[adminPort], logger: logger,
            metrics: metrics)
    }

    /// Returns all other services, in start order.
    ///
    /// - Throws: a ``StartupError``, with exit code 78 if the configuration is wrong.
    package func services(
        _ configuration: Configuration, admin: AdminService, logger: Logger, metrics: MetricsRegistry
    ) async throws -> [any Service] {
        do {
            return try await assemble(configuration, admin, logger, metrics)
        } catch let error as ConfigurationError {
            throw StartupError(
                error.description, fix: "See the settings: \(command.name) --help", exitCode: .configuration)
        }
    }

    /// Returns all services including the admin listener, for tests.
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
        let openTelemetry = try OpenTelemetry(
            configuration, executable: command.name, metrics: metrics, logger: logger)
        let credentials = KafkaCredentialFiles(configuration, logger: logger, metrics: metrics)
        var parts = ConsumerParts(handler: nil)
        var members: [ConsumerService.Member] = []
        var control = ControlParts()
        let isolation = CallIsolation()
        var events: OperatorEventService?
        let consumers = try consumers(configuration)
        for consumer in consumers {
            let (own, member) = try await assemble(
                consumer, of: consumers.count, logger: consumer.logger(logger), metrics: consumer.metrics(metrics),
                tracer: openTelemetry.tracer, isolation, &control, &events)
            members.append(member)
            parts.services += own.services
            parts.readiness += own.readiness.map(consumer.check)
            parts.liveness += own.liveness.map(consumer.check)
            parts.pages += own.pages.map(consumer.page)
        }
        let reader = control.reader(metrics: metrics, logger: logger)
        admin.check(
            readiness: parts.readiness, liveness: parts.liveness, pages: parts.pages, notes: control.notes(reader))
        let first: [any Service] = openTelemetry.services + [credentials] + (events.map { [$0] } ?? [])
        return first + (reader.map { [$0] } ?? []) + parts.services
            + [ConsumerService(members, admin: admin) { [events] in events?.announceStart() }]
    }

    /// Creates one consumer and returns its parts. In each list of checks, the pipeline's checks come first.
    ///
    /// - Parameters:
    ///   - count: the number of consumers that share the process's memory.
    ///   - isolation: shared by all consumers of the process.
    ///   - control: receives the consumer's group if it can be paused.
    ///   - events: the service that publishes operator events, created for the first consumer if events are on.
    private func assemble(
        _ consumer: NamedConsumer, of count: Int, logger: Logger, metrics: MetricsRegistry,
        tracer: Tracer?, _ isolation: CallIsolation, _ control: inout ControlParts,
        _ events: inout OperatorEventService?
    ) async throws -> (ConsumerParts, ConsumerService.Member) {
        let configuration = consumer.configuration
        let declared = try topics(configuration)
        var configured = options(configuration, declared)
        let kafka = try await check(configuration, declared, &configured, logger)
        configured.inputPartitions = configured.inputPartitions.map { $0 * count }
        configured.maximumUnfinishedTotalBytes /= max(1, count)
        events = try events ?? operatorEvents(configuration, declared, kafka, logger: logger, metrics: metrics)
        let handled = HandledOffsets()
        let pause = GroupPause(configured.group)
        var parts = try await build(
            ConsumerContext(
                configuration: configuration, kafka: kafka, group: configured.group, logger: logger, metrics: metrics,
                options: configured, handled: handled, pause: pause, tracer: tracer,
                events: events?.events))
        let options = parts.options ?? configured
        let deadLetters = try DeadLetterProducer(kafka, topics: options.deadLetterTopics, logger: logger)
        let pipeline = parts.handler.map { handler in
            PipelineConsumer(
                kafka: kafka, options: options, handler: handler,
                sendDeadLetter: { try await deadLetters.send($0) }, logger: logger, metrics: metrics,
                callFile: callFile(configuration, options, logger), isolation: isolation, handled: handled,
                pause: pause, tracer: tracer)
        }
        if let topic = declared.control?.topic {
            control.add(pause, topic: topic, kafka: kafka, logger: logger)
        }
        parts.readiness.insert(HealthCheck("kafka", .consumerKafka) { pipeline?.obstacle }, at: 0)
        parts.liveness.insert(
            HealthCheck("kafka") { pipeline?.isLive ?? true ? nil : "the client is stuck" }, at: 0)
        return (parts, ConsumerService.Member(deadLetters: deadLetters, pipeline: pipeline))
    }

    /// The key of the setting for the prefix of all topics' names; nil if this consumer has no such setting.
    var topicsSetting: String? { command.schema.settings.first { $0.key == "topics.prefix" }?.key }

    /// Compares the topics with their expected configuration, and determines the number of input partitions.
    private func check(
        _ configuration: Configuration, _ declared: ConsumerTopics, _ options: inout PipelineOptions, _ logger: Logger
    ) async throws -> KafkaConfiguration {
        let checked = try await TopicPreflight.run(
            ApplicationSettings.kafkaConfiguration(configuration, clientId: command.name),
            topics: requiredTopics(configuration, declared, options),
            profile: ApplicationSettings.deployment(configuration), setting: topicsSetting)
        for warning in checked.warnings {
            logger.warning("tolerated by the single-node profile", [LogField(.finding, warning)])
        }
        for finding in checked.advice {
            logger.warning("topic configuration mismatch", [LogField(.finding, finding)])
        }
        options.inputPartitions = options.topics.reduce(0) { $0 + (checked.partitions[$1] ?? 0) }
        var kafka = checked.kafka
        kafka.readerGroup = options.group.rawValue
        return kafka
    }

    /// Returns the topic for operator events, or an empty array if they are off.
    private func operations(_ configuration: Configuration, _ declared: ConsumerTopics) -> [KafkaTopicExpectation] {
        guard let topic = declared.operations, configuration[OperatorEventSettings.events] else { return [] }
        return [topic]
    }

    /// Creates the service that publishes operator events, or returns nil if they are off.
    private func operatorEvents(
        _ configuration: Configuration, _ declared: ConsumerTopics, _ kafka: KafkaConfiguration, logger: Logger,
        metrics: MetricsRegistry
    ) throws(StartupError) -> OperatorEventService? {
        guard let topic = operations(configuration, declared).first?.topic else { return nil }
        return try OperatorEventService(
            .current(executable: command.name), topic: topic, kafka: kafka, logger: logger, metrics: metrics)
    }

    /// Opens the call file. Returns nil if the directory is not writable; in that case, crashes are not counted.
    private func callFile(
        _ configuration: Configuration, _ options: PipelineOptions, _ logger: Logger
    ) -> CallFile? {
        let directory = configuration[ConsumerSettings.dataDirectory]
        do {
            return try CallFile.open(name: options.group.rawValue, in: directory)
        } catch {
            logger.warning(
                "call file unavailable; handler crashes are not counted",
                [LogField(.path, directory), LogField(.error, "\(error)")])
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
