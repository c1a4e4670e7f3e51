internal import AppStoreModel
internal import Kafka
internal import Lifecycle
internal import Records
internal import ServiceKit

/// What the topics that the ingress writes must be like.
enum IngressTopics {
    static func check(_ plan: IngressPlan) async throws(StartupError) -> TopicPreflight.Outcome {
        let expectations = plan.topics.ingress().map { topic in
            KafkaTopicExpectation(topic: topic.name, createdWith: topic.settings)
        }
        return try await TopicPreflight.run(plan.kafka, topics: expectations, profile: plan.profile)
    }
}

/// The topics that the ingress writes, named once.
struct ProducedTopics: Sendable {
    let quarantine: KafkaTopic
    let certificates: KafkaTopic
    private let production: KafkaTopic
    private let sandbox: KafkaTopic

    init(_ names: TopicNames) {
        quarantine = names.quarantine
        certificates = names.certificates
        production = names.notifications(.production)
        sandbox = names.notifications(.sandbox)
    }

    func notifications(_ environment: AppStoreEnvironment) -> KafkaTopic {
        environment == .production ? production : sandbox
    }

    var all: [KafkaTopic] { [production, sandbox, quarantine, certificates] }
}
