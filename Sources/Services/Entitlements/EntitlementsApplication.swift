internal import Configuration
internal import EntitlementRules
internal import Kafka
internal import Lifecycle
internal import NotificationRecord
package import PipelineRuntime
internal import Telemetry

/// `sluice-entitlements`: the notification topics in, state in SQLite, a read API out.
package enum EntitlementsApplication {
    package static let application = ConsumerApplication(
        name: "sluice-entitlements",
        summary: "Keeps who may use what, from the notifications in Kafka, and answers questions about it.",
        discussion: """
            State is a function of the set of signed facts: duplicates, disorder and replays end in the same answer. \
            GET /v1/entitlements?appAccountToken=UUID or ?originalTransactionId=ID; with &environment=Sandbox, \
            &bundleId=… and &at=MOMENT where wanted.

            Exit codes: 0 stopped as asked, 1 something outside failed, 64 usage, 66 records were deleted before they \
            were read, 78 configuration.
            """,
        adminPort: EntitlementsSettings.adminPort, schema: EntitlementsSettings.schema,
        examples: [
            .init(
                "sluice-entitlements --kafka.bootstrap.servers kafka-1:9092 --data.dir /var/lib/sluice",
                "Read API on 127.0.0.1:8081."),
            .init(
                "curl 'http://127.0.0.1:8081/v1/entitlements?originalTransactionId=2000000000000001'",
                "What one purchase gives now."),
        ],
        topics: { configuration in
            let topics = TopicNames(prefix: configuration[EntitlementsSettings.topicsPrefix])
            return ConsumerTopics(
                input: topics.ingress().filter { $0.name != topics.quarantine }.map {
                    KafkaTopicExpectation(topic: KafkaTopic(rawValue: $0.name.rawValue), createdWith: $0.settings)
                })
        },
        build: { context in try await build(context) })

    private static func build(_ context: ConsumerContext) async throws -> ConsumerParts {
        let configuration = context.configuration
        let rules = try ProductRules(configuration)
        let topics = TopicNames(prefix: configuration[EntitlementsSettings.topicsPrefix])
        let opened = try EntitlementsFile.open(configuration)
        try await RebuildCheck.run(context, opened.store, topics)
        let metrics = EntitlementsMetrics(context.metrics)
        let service = EntitlementsService(
            store: opened.store,
            api: ReadAPI(
                reader: opened.reader, rules: rules, clocks: .system, metrics: metrics,
                log: RateLimitedLogger(context.logger, perSecond: 1)),
            host: configuration[EntitlementsSettings.host], port: configuration[EntitlementsSettings.port],
            logger: context.logger)
        return ConsumerParts(
            handler: .batches(EntitlementsHandler(store: opened.store, topics: topics, metrics: metrics)),
            services: [service])
    }
}
