internal import AppStoreModel
internal import Configuration
internal import Kafka
internal import KeyedState
package import PipelineRuntime
internal import Records
internal import ServiceKit
internal import Time

/// `sluice-refunds` reads the notification topics, keeps a case for each refund in a compacted topic, and answers
/// Apple's consumption requests.
package enum RefundsApplication {
    package static let application = application()

    /// - Parameters:
    ///   - clocks: the wall clock determines deadlines.
    ///   - pause: waits until the next check for due work if nothing else happens.
    static func application(
        clocks: Clocks = .system,
        pause: @escaping @Sendable () async throws -> Void = { try await Task.sleep(for: .seconds(1)) }
    ) -> ConsumerApplication {
        ConsumerApplication(
            name: "sluice-refunds",
            summary: "Answers Apple's consumption requests within their 12 hours, and keeps what came of each refund.",
            discussion: """
                A CONSUMPTION_REQUEST opens a round of the case of its transaction, or belongs to the one before it. Each \
                round is decided anew: by the rules of refunds.rules, by preferences that you record in the topic \
                …refunds.preferences and, with refunds.provider.url, by what your service says about consent and \
                consumption. Without consent nothing is sent. The answer's bytes are in the topics …refunds.production and \
                .sandbox before they are first sent, so that every retry, by whatever member, sends the same. Answers are \
                sent in the order of deadlines, until Apple accepts them or the time is over. A request that something \
                stands in the way of waits, with its reason in sluicectl refunds due; when its time is over, a miss is \
                recorded and counted in sluice_refunds_unanswered_total.

                A crash may repeat as many requests to Apple as refunds.concurrency says.

                Exit codes: 0 stopped as asked, 1 something outside failed, 64 usage, 65 a topic is damaged, 66 records \
                were deleted before they were read, 78 configuration.
                """,
            adminPort: RefundsSettings.adminPort, schema: RefundsSettings.schema,
            examples: [
                .init(
                    """
                    sluice-refunds --kafka.bootstrap.servers kafka-1:9092 --apps com.example.app:1234567890 \
                    --appstore.api.issuer.id 57246542-96fe-1a63-e053-0824d011072a --appstore.api.key.id 2X9R4HXF34 \
                    --appstore.api.key.file /run/secrets/AuthKey.p8 --refunds.rules /etc/sluice/refund-rules.json
                    """, "By rules alone."),
                .init("sluicectl refunds due", "What waits, by deadline."),
            ],
            topics: { configuration in
                let topics = TopicNames(prefix: configuration[RefundsSettings.topicsPrefix])
                let names = AppStoreEnvironment.published.map(topics.refunds) + [topics.refundPreferences]
                return ConsumerTopics(
                    input: expectations(topics.notifications()),
                    others: expectations(topics.state().filter { names.contains($0.name) }))
            },
            build: { context in
                let topics = TopicNames(prefix: context.configuration[RefundsSettings.topicsPrefix])
                let service = try RefundsService(context, topics: topics, clocks: clocks, pause: pause)
                return ConsumerParts(
                    handler: .batches(service.handler),
                    services: [service.revocation, service.preferences, service.state, service.scheduler],
                    readiness: [
                        HealthCheck("state") { service.state.readinessObstacle },
                        HealthCheck("preferences") { service.preferences.obstacle },
                    ],
                    liveness: [HealthCheck("state") { service.state.fault }])
            })
    }

    private static func expectations(_ topics: [TopicSpecification]) -> [KafkaTopicExpectation] {
        topics.map { KafkaTopicExpectation(topic: $0.name, createdWith: $0.settings) }
    }
}
