internal import AppStoreModel
internal import Kafka
internal import Lifecycle
internal import Records
internal import ServiceKit

/// Checks the configuration of the topics that the ingress writes to.
enum IngressTopics {
    static func check(_ plan: IngressPlan) async throws(StartupError) -> TopicPreflight.Outcome {
        let expectations = plan.topics.ingress().map { topic in
            KafkaTopicExpectation(topic: topic.name, createdWith: topic.settings)
        }
        return try await TopicPreflight.run(plan.kafka, topics: expectations, profile: plan.profile)
    }
}
