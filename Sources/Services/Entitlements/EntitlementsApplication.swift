internal import AppStoreModel
internal import AppStoreServerAPI
internal import AppStoreSettings
internal import AppStoreVerification
internal import CommandLine
internal import Configuration
internal import EntitlementRules
internal import HTTPClient
internal import Kafka
internal import KeyedState
internal import Lifecycle
package import PipelineRuntime
internal import Primitives
internal import Publication
internal import Records
internal import ServiceKit
internal import Telemetry

/// `sluice-entitlements`: consumes the notification topics, stores state by key in a compacted topic and SQLite, and
/// serves a read API.
package enum EntitlementsApplication {
    package static let application = application()

    /// - Parameters:
    ///   - confirmationDelay: the delay between receiving a version 1 notification and asking Apple to confirm it.
    ///   - pause: waits between checks for unconfirmed notifications.
    static func application(
        confirmationDelay: Duration = .seconds(5),
        pause: @escaping @Sendable () async throws -> Void = { try await Task.sleep(for: .seconds(1)) }
    ) -> ConsumerApplication {
        ConsumerApplication(
            name: "sluice-entitlements",
            summary: "Computes customers' entitlements from the notifications in Kafka and serves a read API.",
            discussion: """
                The state depends only on the set of signed facts, so duplicates, reordering and replays do not \
                change it. The state is published to the topics …entitlements.production and .sandbox, and stored in \
                a database that can be restored from them. The members of a group share the work, and each of them \
                answers requests for all purchases.

                GET /v1/entitlements?appAccountToken=UUID, ?originalTransactionId=ID, ?transactionId=ID or \
                ?appTransactionId=ID; optionally with &environment=Sandbox (or all), &bundleId=… and &at=MOMENT. GET \
                /v1/history takes the same parameters except at; GET /v1/purchases lists purchases; POST \
                /v1/entitlements/query answers for up to 100 subjects at once. POST /v1/transactions requires apps; \
                POST /v1/claims and /v1/erasures require entitlements.changes=true; GET /v1/story?id=ID requires \
                entitlements.stories=true. GET /v1/openapi.json describes the API. Clients authenticate with a key \
                from http.keys.file.

                Exit codes: 0 stopped normally, 1 external failure, 64 usage, 66 records were deleted before they \
                were read, 78 configuration.
                """,
            adminPort: EntitlementsSettings.adminPort, schema: EntitlementsSettings.schema,
            examples: [
                .init(
                    "sluice-entitlements --kafka.bootstrap.servers kafka-1:9092 --data.dir /var/lib/sluice",
                    "Read API on 127.0.0.1:8081."),
                .init(
                    "sluice-entitlements --entitlements.group.instance.id entitlements-1",
                    "One of several members, which keeps its partitions across a restart."),
                .init(
                    "curl 'http://127.0.0.1:8081/v1/entitlements?originalTransactionId=2000000000000001'",
                    "Current entitlements of one purchase."),
            ],
            topics: { configuration in
                let topics = TopicNames(prefix: configuration[EntitlementsSettings.topicsPrefix])
                return ConsumerTopics(
                    input: topics.notifications().map(\.expectation),
                    others: topics.expectations(of: AppStoreEnvironment.published.map(topics.entitlements)),
                    control: topics.controlTopic.expectation,
                    operations: topics.operationsTopic.expectation)
            },
            build: { context in try await build(context, confirmationDelay, pause) })
    }

    /// Returns the story reader, or nil if stories are disabled.
    private static func stories(
        _ topics: TopicNames, _ context: ConsumerContext
    ) throws(ConfigurationError) -> StoryAnswers? {
        guard context.configuration[EntitlementsSettings.stories] else { return nil }
        let others =
            TopicNames.consumerGroups.filter { $0 != context.group.rawValue }
            + [TopicNames.archiveGroup, TopicNames.webhooksGroup]
        return try StoryAnswers(
            context.configuration, kafka: context.kafka, topics: topics,
            groups: [context.group.rawValue] + others, clocks: .system,
            log: RateLimitedLogger(context.logger, perSecond: 1))
    }

    private static func build(
        _ context: ConsumerContext, _ confirmationDelay: Duration, _ pause: @escaping @Sendable () async throws -> Void
    ) async throws -> ConsumerParts {
        let configuration = context.configuration
        let settings = try EntitlementsConfiguration(configuration)
        let (rules, plan) = (settings.rules, settings.trust)
        let topics = TopicNames(prefix: configuration[EntitlementsSettings.topicsPrefix])
        let verifier = settings.verification?.verifier
        if let verifier {
            await KnownCertificates.load(
                context.kafka, ProducedTopics(topics), into: verifier, context.logger, .system)
        }
        plan.log(to: context.logger)
        let input = InputFreshness(
            topics: topics, limit: configuration[EntitlementsSettings.stalenessLimit].clampedMilliseconds)
        let metrics = EntitlementsMetrics(context.metrics)
        let model = EntitlementsModel(
            rules: rules, topics: topics, confirmedApps: plan.confirmedApps, input: input, metrics: metrics)
        var options = try StateOptions(
            file: "entitlements.sqlite", in: configuration,
            topics: TopicNames.environments(of: topics.input).mapValues(topics.state))
        // A member must not miss an erasure, so its file is rebuilt a day before Kafka may have removed a tombstone
        // that is missing from the file.
        options.tombstoneRetention = .seconds((TopicSpecification.tombstoneDays - 1) * 86_400)
        options.history = EntitlementsHandler.history(of: context.group, topics: topics)
        let state = KeyedState(options, model: model, in: context)
        // All requests share Apple's rate limit.
        let budgets = RequestBudgets(plan.api.configuration.limits)
        let service = try EntitlementsService(
            state: state, rules: rules, input: input, topics: topics, metrics: metrics,
            access: AccessLog(
                configuration[EntitlementsSettings.accessLog], logger: context.logger, metrics: context.metrics),
            verifier: verifier, stories: try stories(topics, context), configuration: configuration,
            logger: context.logger, budgets: budgets)
        let log = RateLimitedLogger(context.logger, perSecond: 1)
        let confirmation = ConfirmationMetrics(context.metrics, now: Clocks.system.wallMilliseconds)
        EntitlementsMetrics.collect(input, context.metrics, now: Clocks.system.wallMilliseconds)
        var services: [any Service] = [state, try follower(of: input, state, options.role, topics, context, log)]
        if let (verifier, responders) = settings.verification {
            // The process has a single verifier, so it needs a single revocation check loop.
            services.append(
                TaskService("revocation checks", release: { _ in responders.close() }) {
                    await verifier.runRevocationChecks(clock: Clocks.system.wallMilliseconds)
                })
        }
        // A worker stores only its own partitions, so it cannot serve reads. A reader joins no group.
        if options.role != .worker { services.append(service) }
        if options.role != .reader, !plan.confirmedApps.isEmpty, let verifier {
            services.append(
                LegacyConfirmations(
                    state: state,
                    client: AppStoreSettings.client(
                        plan.api, verifier: verifier, clocks: .system, budgets: budgets, logger: context.logger),
                    topics: topics, clocks: .system, metrics: confirmation, log: log,
                    delay: confirmationDelay, pause: pause))
        }
        return ConsumerParts(
            handler: options.role == .reader
                ? nil
                : .batches(
                    EntitlementsHandler.handler(of: state, topics: topics, metrics: metrics) {
                        EntitlementsHandler.notice($0, model, confirmation, log)
                    }),
            services: services, readiness: readiness(state, input, options.role, context.pause),
            liveness: [HealthCheck("state") { state.fault }])
    }

    /// Returns the readiness checks. A worker serves no reads, so it is ready even if its input is old. While the group
    /// is paused on purpose, every member is ready, and its answers are marked as stale.
    private static func readiness(
        _ state: KeyedState<EntitlementsModel>, _ input: InputFreshness, _ role: StateOptions.Role,
        _ pause: GroupPause
    ) -> [HealthCheck] {
        let checks = [HealthCheck("state", .state) { state.readinessObstacle }]
        guard role != .worker else { return checks }
        return checks + [
            HealthCheck("input", .input) {
                guard !pause.isPaused else { return nil }
                return input.obstacle(
                    at: AppStoreInstant(clampingMillisecondsSince1970: Clocks.system.wallMilliseconds()))
            }
        ]
    }

    private static func follower(
        of input: InputFreshness, _ state: KeyedState<EntitlementsModel>, _ role: StateOptions.Role,
        _ topics: TopicNames, _ context: ConsumerContext, _ log: RateLimitedLogger
    ) throws -> InputFollower {
        let admin = try KafkaAdmin(context.kafka)
        return InputFollower(
            topics: topics, log: KafkaInputLog(kafka: context.kafka, admin: admin, group: context.group),
            freshness: input, handled: { context.handled.next(of: $0) },
            // A worker has already applied its own publications, and serves no other partitions.
            catchUp: { topic in if role != .worker { try await state.catchUp(with: topic) } },
            clocks: .system, frequent: log, close: { await admin.close(within: .seconds(1)) })
    }
}
