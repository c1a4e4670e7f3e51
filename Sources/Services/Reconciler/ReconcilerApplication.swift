internal import AppStoreModel
internal import Configuration
internal import Kafka
internal import KeyedState
package import PipelineRuntime
internal import Reconciliation
internal import Records
internal import ServiceKit
internal import Time

/// `sluice-reconciler` finds notifications in Apple's history that are missing in the notification topics, and
/// publishes them.
package enum ReconcilerApplication {
    package static let application = application()

    /// - Parameters:
    ///   - clocks: the wall clock determines what is due.
    ///   - sleep: waits for a turn in the API budget, or before a retry.
    ///   - pause: waits until the next check for due sweeps if nothing else happens.
    static func application(
        clocks: Clocks = .system,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
        pause: @escaping @Sendable () async throws -> Void = { try await Task.sleep(for: .seconds(1)) }
    ) -> ConsumerApplication {
        ConsumerApplication(
            name: "sluice-reconciler",
            summary: "Finds in Apple's notification history what never arrived, and publishes it.",
            discussion: """
                For each app with a key for the App Store Server API and each of its environments: every hour what Apple \
                could not deliver in the last 7 days, once a day everything that Apple sent in the last 48 hours. What \
                is not in the notification topic is verified as if Apple had posted it, and published with ce_origin \
                history, consumption requests first. Which notifications a topic has had is remembered for 190 days in \
                the topics …reconciliation.production and .sandbox, with the progress of each sweep: a process that \
                ends in the middle of one goes on from its last page.

                Apple's history has no version 1. Once a day each subscription of which version 1 spoke, and each whose \
                facts leave a question, is compared with what Apple says of it. Those that differ are counted and \
                listed, and what Apple signed about them is published in the topics …entitlements (but with \
                reconciler.statuses.repair=false).

                When notifications come again after a silence of reconciler.outage, what Apple could not deliver \
                meanwhile is asked for at once. sluicectl backfill asks for a range of time.

                Exit codes: 0 stopped as asked, 1 something outside failed, 64 usage, 65 a topic is damaged, 66 records \
                were deleted before they were read, 78 configuration.
                """,
            adminPort: ReconcilerSettings.adminPort, schema: ReconcilerSettings.schema,
            examples: [
                .init(
                    """
                    sluice-reconciler --kafka.bootstrap.servers kafka-1:9092 --apps com.example.app:1234567890 \
                    --appstore.api.issuer.id 57246542-96fe-1a63-e053-0824d011072a --appstore.api.key.id 2X9R4HXF34 \
                    --appstore.api.key.file /run/secrets/AuthKey.p8
                    """, "With one app."),
                .init("sluicectl reconcile report", "What the last sweeps found."),
            ],
            topics: { configuration in
                let topics = TopicNames(prefix: configuration[ReconcilerSettings.topicsPrefix])
                let notifications = topics.notifications()
                let own = AppStoreEnvironment.published.map(topics.reconciliation)
                let written = topics.ingress().filter { topic in !notifications.contains { $0.name == topic.name } }
                return ConsumerTopics(
                    input: expectations(notifications),
                    others: expectations(topics.state().filter { own.contains($0.name) } + written))
            },
            build: { context in
                let topics = TopicNames(prefix: context.configuration[ReconcilerSettings.topicsPrefix])
                let service = try await ReconcilerService(
                    context, topics: topics, clocks: clocks, sleep: sleep, pause: pause)
                return ConsumerParts(
                    handler: .batches(service.handler),
                    services: [service.outbound, service.state, service.scheduler],
                    readiness: [HealthCheck("state") { service.state.readinessObstacle }],
                    liveness: [HealthCheck("state") { service.state.fault }],
                    pages: [AdminPage(path: SweepListing.path) { service.scheduler.page }])
            })
    }

    private static func expectations(_ topics: [TopicSpecification]) -> [KafkaTopicExpectation] {
        topics.map { KafkaTopicExpectation(topic: $0.name, createdWith: $0.settings) }
    }
}
