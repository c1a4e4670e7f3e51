internal import Kafka
internal import Lifecycle
internal import NotificationRecord
internal import ServiceKit

/// What the topics that the ingress writes must be like.
enum IngressTopics {
    static func check(_ plan: IngressPlan) async throws(StartupError) -> TopicPreflight.Outcome {
        let expectations = plan.topics.ingress().map { topic in
            KafkaTopicExpectation(topic: KafkaTopic(rawValue: topic.name.rawValue), createdWith: topic.settings)
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
