internal import AppStoreModel
internal import Configuration
package import Kafka
internal import Lifecycle
internal import Records
internal import ServiceKit

/// Checks the configuration of the topics to which the ingress writes.
enum IngressTopics {
    static func check(_ settings: IngressConfiguration) async throws(StartupError) -> TopicPreflight.Outcome {
        try await TopicPreflight.run(
            settings.kafka, topics: settings.requiredTopics, profile: settings.profile,
            setting: IngressSettings.topicsPrefix.key)
    }
}

extension IngressConfiguration {
    /// The topics to check at startup.
    package var requiredTopics: [KafkaTopicExpectation] {
        (topics.ingress() + (publishesOperatorEvents ? [topics.operationsTopic] : [])).map(\.expectation)
    }
}
