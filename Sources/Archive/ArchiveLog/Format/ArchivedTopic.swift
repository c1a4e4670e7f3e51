package import AppStoreModel
package import KafkaModel
package import Records

/// How the archive classifies a topic: the kind of its entries and the environment of its subjects.
package struct ArchivedTopic: Hashable, Sendable {
    package let topic: KafkaTopic
    package let kind: ArchiveKind
    /// The environment; nil if the topic has records from both environments.
    package let environment: AppStoreEnvironment?

    /// Classifies a topic. Returns nil for topics that are not archived: derived topics, topics that the archive itself
    /// publishes, and the archive's own dead letter topics.
    package init?(_ topic: KafkaTopic, names: TopicNames) {
        guard let (kind, environment) = Self.classify(topic, names) else { return nil }
        self.topic = topic
        self.kind = kind
        self.environment = environment
    }

    private static func classify(_ topic: KafkaTopic, _ names: TopicNames) -> (ArchiveKind, AppStoreEnvironment?)? {
        switch topic {
        case names.quarantine: return (.quarantine, nil)
        case names.certificates: return (.certificate, nil)
        case names.erasures: return (.erasure, nil)
        case names.archiveDeadLetters: return nil
        default: break
        }
        for environment in AppStoreEnvironment.published {
            if topic == names.notifications(environment) { return (.notification, environment) }
            if topic == names.refunds(environment) { return (.refund, environment) }
            let inputs = [
                names.notifications(environment), names.refunds(environment), names.entitlements(environment),
                names.reconciliation(environment),
            ]
            if inputs.contains(where: { topic.isDeadLetters(of: $0) }) { return (.deadLetter, environment) }
        }
        let others = [names.quarantine, names.certificates]
        return others.contains { topic.isDeadLetters(of: $0) } ? (.deadLetter, nil) : nil
    }
}

extension ArchiveKind {
    /// Returns nil for topics that are not archived.
    package init?(topic: KafkaTopic, names: TopicNames) {
        guard let archived = ArchivedTopic(topic, names: names) else { return nil }
        self = archived.kind
    }
}
