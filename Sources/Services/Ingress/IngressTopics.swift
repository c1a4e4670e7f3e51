internal import Kafka
internal import Lifecycle
internal import NotificationRecord
internal import PipelineRuntime

/// What the topics that the ingress writes must be like.
enum IngressTopics {
    /// Apple sends again for a week: a topic that forgets sooner could lose what its consumers have not read.
    private static let shortestRetention: Int64 = 8 * 86_400_000

    static func check(_ plan: IngressPlan) async throws(StartupError) -> TopicPreflight.Outcome {
        let expectations = plan.topics.ingress().map { topic in
            var expectation = KafkaTopicExpectation(topic: KafkaTopic(rawValue: topic.name.rawValue))
            expectation.maxMessageBytes = TopicSpecification.maximumMessageBytes
            expectation.cleanupPolicy = topic.settings["cleanup.policy"]
            expectation.retentionMilliseconds = shortestRetention
            return expectation
        }
        return try await TopicPreflight.run(plan.kafka, topics: expectations, profile: plan.profile)
    }
}

/// The topics that the ingress writes, named once.
struct ProducedTopics: Sendable {
    let quarantine: KafkaTopic
    private let production: KafkaTopic
    private let sandbox: KafkaTopic

    init(_ names: TopicNames) {
        quarantine = KafkaTopic(rawValue: names.quarantine.rawValue)
        production = KafkaTopic(rawValue: names.notifications(.production).rawValue)
        sandbox = KafkaTopic(rawValue: names.notifications(.sandbox).rawValue)
    }

    func notifications(_ environment: RecordEnvironment) -> KafkaTopic {
        switch environment {
        case .production: production
        case .sandbox: sandbox
        }
    }

    var all: [KafkaTopic] { [production, sandbox, quarantine] }
}
