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
