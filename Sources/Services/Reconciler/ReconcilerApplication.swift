internal import AppStoreModel
internal import CommandLine
internal import Configuration
internal import KeyedState
package import PipelineRuntime
internal import Primitives
internal import Reconciliation
internal import Records
internal import ServiceKit

/// `sluice-reconciler`: finds notifications in Apple's history that are missing from the notification topics, and
/// publishes them.
package enum ReconcilerApplication {
    package static let application = application()

    /// - Parameters:
    ///   - clocks: the clocks; the wall clock determines which sweeps are due.
    ///   - sleep: waits until the API budget allows a request, or until a retry is due.
    ///   - pause: waits until the next check for due sweeps, or until the scheduler is woken.
    static func application(
        clocks: Clocks = .system,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
        pause: @escaping @Sendable () async throws -> Void = { try await Task.sleep(for: .seconds(1)) }
    ) -> ConsumerApplication {
        ConsumerApplication(
            name: "sluice-reconciler",
            summary: "Finds notifications in Apple's history that never arrived, and publishes them.",
            discussion: """
                sluice-reconciler reads Apple's notification history for each app with an App Store Server API key, in \
                each of the app's environments: every hour, the failed deliveries of the last 7 days; once a day, all \
                notifications of the last 48 hours. Notifications that are not in the notification topic are verified \
                as if Apple had posted them, and published with ce_origin history, consumption requests first. The \
                topics …reconciliation.production and .sandbox store the identities of received notifications for 190 \
                days, and the progress of each sweep: a process that stops during a sweep resumes at the sweep's last \
                page.

                Apple's history does not include version 1 notifications. Once a day, each subscription with version 1 \
                notifications or an unexplained state is compared with Apple's subscription status. Differences are \
                counted and listed, and Apple's signed status is published to the topics …entitlements (unless \
                reconciler.statuses.repair=false).

                When notifications resume after a gap of at least reconciler.outage, a sweep of the failed deliveries \
                in the gap starts immediately. sluicectl backfill requests a sweep of a time range.

                Exit codes: 0 stopped normally, 1 external failure, 64 usage, 65 a topic is damaged, 66 records were \
                deleted before they were read, 78 configuration.
                """,
            adminPort: ReconcilerSettings.adminPort, schema: ReconcilerSettings.schema,
            examples: [
                .init(
                    """
                    sluice-reconciler --kafka.bootstrap.servers kafka-1:9092 --apps com.example.app:1234567890 \
                    --appstore.api.issuer.id 57246542-96fe-1a63-e053-0824d011072a --appstore.api.key.id 2X9R4HXF34 \
                    --appstore.api.key.file /run/secrets/AuthKey.p8
                    """, "Run with one app."),
                .init("sluicectl reconcile report", "Show the findings from the last sweeps."),
            ],
            topics: { configuration in
                let topics = TopicNames(prefix: configuration[ReconcilerSettings.topicsPrefix])
                let own = AppStoreEnvironment.published.map(topics.reconciliation)
                return ConsumerTopics(
                    input: topics.notifications().map(\.expectation),
                    others: topics.expectations(of: own + [topics.quarantine, topics.certificates]),
                    control: topics.controlTopic.expectation,
                    operations: topics.operationsTopic.expectation)
            },
            build: { context in
                let topics = TopicNames(prefix: context.configuration[ReconcilerSettings.topicsPrefix])
                let service = try await ReconcilerService(
                    context, topics: topics, clocks: clocks, sleep: sleep, pause: pause)
                return ConsumerParts(
                    handler: .batches(service.handler),
                    services: [service.outbound, service.state, service.scheduler],
                    readiness: [HealthCheck("state", .state) { service.state.readinessObstacle }],
                    liveness: [HealthCheck("state") { service.state.fault }],
                    pages: [AdminPage(path: SweepListing.path) { service.scheduler.page }])
            })
    }
}
