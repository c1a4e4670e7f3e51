internal import AppStoreModel
internal import CommandLine
internal import Configuration
internal import KeyedState
package import PipelineRuntime
internal import Primitives
internal import Records
internal import ServiceKit

/// `sluice-refunds` reads the notification topics, stores a case for each refund in a compacted topic, and answers
/// Apple's consumption requests.
package enum RefundsApplication {
    package static let application = application()

    /// - Parameters:
    ///   - clocks: the clocks; the wall clock determines deadlines.
    ///   - pause: waits until the next check for due work, or until the scheduler is woken.
    static func application(
        clocks: Clocks = .system,
        pause: @escaping @Sendable () async throws -> Void = { try await Task.sleep(for: .seconds(1)) }
    ) -> ConsumerApplication {
        ConsumerApplication(
            name: "sluice-refunds",
            summary: "Answers Apple's consumption requests within 12 hours, and records the outcome of each refund.",
            discussion: """
                Each transaction with refund requests has a case. A CONSUMPTION_REQUEST opens a new round of the case, \
                or belongs to the current one. Each round is decided separately: by the rules in refunds.rules, by \
                preferences that you record in the topic …refunds.preferences and, with refunds.provider.url, by your \
                service's response about consent and consumption. Nothing is sent without consent. The answer is \
                written to the topics …refunds.production and .sandbox before it is first sent, so that every retry, \
                by any member, sends the same bytes. Answers are sent in order of their deadlines, until Apple accepts \
                them or the deadline passes. A request that cannot be answered yet waits; sluicectl refunds due shows \
                the reason. A deadline that passes is recorded as missed, and the request is counted in \
                sluice_refunds_unanswered_total.

                After a crash, up to refunds.concurrency requests to Apple may be sent again.

                Exit codes: 0 stopped normally, 1 external failure, 64 usage, 65 a topic is damaged, 66 records were \
                deleted before they were read, 78 configuration.
                """,
            adminPort: RefundsSettings.adminPort, schema: RefundsSettings.schema,
            examples: [
                .init(
                    """
                    sluice-refunds --kafka.bootstrap.servers kafka-1:9092 --apps com.example.app:1234567890 \
                    --appstore.api.issuer.id 57246542-96fe-1a63-e053-0824d011072a --appstore.api.key.id 2X9R4HXF34 \
                    --appstore.api.key.file /run/secrets/AuthKey.p8 --refunds.rules /etc/sluice/refund-rules.json
                    """, "Decide by rules only."),
                .init("sluicectl refunds due", "List waiting requests by deadline."),
            ],
            topics: { configuration in
                let topics = TopicNames(prefix: configuration[RefundsSettings.topicsPrefix])
                return ConsumerTopics(
                    input: topics.notifications().map(\.expectation),
                    others: topics.expectations(
                        of: AppStoreEnvironment.published.map(topics.refunds) + [topics.refundPreferences]),
                    control: topics.controlTopic.expectation,
                    operations: topics.operationsTopic.expectation)
            },
            build: { context in
                let topics = TopicNames(prefix: context.configuration[RefundsSettings.topicsPrefix])
                let service = try RefundsService(context, topics: topics, clocks: clocks, pause: pause)
                return ConsumerParts(
                    handler: .batches(service.handler),
                    services: [service.revocation, service.preferences, service.state, service.scheduler],
                    readiness: [
                        HealthCheck("state", .state) { service.state.readinessObstacle },
                        HealthCheck("preferences", .state) { service.preferences.obstacle },
                    ],
                    liveness: [HealthCheck("state") { service.state.fault }])
            })
    }
}
