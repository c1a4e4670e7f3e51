internal import AppStoreModel
package import Configuration
package import Kafka
internal import Records

extension WebhooksSettings {
    /// The settings on which the topics depend that are read.
    package static let topicSettings: [any AnySetting] = [content, environments]

    /// The topics that are read: those of `webhooks.content` in `webhooks.environments`.
    package static func inputTopics(_ configuration: Configuration) -> [KafkaTopic] {
        let names = TopicNames(prefix: configuration[topicsPrefix])
        let chosen = configuration[environments]
        return AppStoreEnvironment.published.filter(chosen.contains)
            .map { configuration[content].topic(names, $0) }
    }

    /// Whether what Apple posted is rebuilt, for which the topic of certificates is read.
    package static func rebuildsNotifications(_ configuration: Configuration) -> Bool {
        configuration[content] == .signed
    }
}
