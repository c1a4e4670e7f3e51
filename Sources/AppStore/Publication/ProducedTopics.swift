package import AppStoreModel
package import Kafka
package import Records

/// The topics to which notifications are written.
package struct ProducedTopics: Sendable {
    package let quarantine: KafkaTopic
    package let certificates: KafkaTopic
    private let production: KafkaTopic
    private let sandbox: KafkaTopic

    package init(_ names: TopicNames) {
        quarantine = names.quarantine
        certificates = names.certificates
        production = names.notifications(.production)
        sandbox = names.notifications(.sandbox)
    }

    package func notifications(_ environment: AppStoreEnvironment) -> KafkaTopic {
        environment == .production ? production : sandbox
    }

    package var all: [KafkaTopic] { [production, sandbox, quarantine, certificates] }
}
