internal import Configuration
internal import EntitlementRules
internal import Foundation
internal import HTTPServer
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
                input: RecordEnvironment.allCases.map {
                    KafkaTopicExpectation(topic: KafkaTopic(rawValue: topics.notifications($0).rawValue))
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
            api: ReadAPI(reader: opened.reader, rules: rules, clocks: .system, metrics: metrics),
            host: configuration[EntitlementsSettings.host], port: configuration[EntitlementsSettings.port],
            logger: context.logger)
        return ConsumerParts(
            handler: .batches(EntitlementsHandler(store: opened.store, topics: topics, metrics: metrics)),
            services: [service])
    }
}

/// The read API's listener, and the store behind it.
final class EntitlementsService: Service {
    let name = "entitlements read api"
    private let store: EntitlementsStore
    private let reader: EntitlementsReader
    private let server: HTTPServer
    private let host: String
    private let logger: Logger

    init(store: EntitlementsStore, api: ReadAPI, host: String, port: Int, logger: Logger) {
        self.store = store
        self.host = host
        self.logger = logger
        reader = api.reader
        server = HTTPServer(listeners: [api.listener(host: host, port: port)])
    }

    /// The port of the read API; 0 before `start()`.
    var port: UInt16 { server.port() }

    func start() async throws {
        do {
            try server.start()
        } catch {
            throw StartupError(
                error.message,
                setting: error.code == .badHost ? EntitlementsSettings.host.key : EntitlementsSettings.port.key,
                fix: error.code == .badHost ? "Give an address of this machine" : "Choose a free port")
        }
        logger.info(
            "ready",
            [
                LogField(.listener, "entitlements"), LogField(.host, host), LogField(.port, port),
                LogField(.path, store.path),
            ])
    }

    /// After the pipeline has stopped: nothing merges any more.
    func stop(within limit: Duration) async {
        await server.drain(within: min(limit, .seconds(2)))
        await reader.close()
        store.close()
    }
}

extension LogKey {
    static let listener = LogKey(rawValue: "listener")
}
