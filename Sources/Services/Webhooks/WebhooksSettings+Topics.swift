internal import AppStoreModel
package import Configuration
package import Kafka
internal import Records

extension WebhooksSettings {
    /// A receiver's group and the topics that it reads.
    package struct Reading: Sendable {
        package let group: String
        /// The topics for `webhooks.content` in `webhooks.environments`.
        package let topics: [KafkaTopic]
        /// Whether Apple's bodies are rebuilt, which requires reading the certificates topic.
        package let rebuilds: Bool
    }

    private static let general: [any AnySetting] = [content, environments, group]

    /// The settings on which the topics and groups depend.
    package static let topicSettings: [any AnySetting] =
        general + [receivers] + NamedSettings(general, prefix: prefix, template: receiverTemplate).settings

    /// Returns each receiver's URL and the key of the setting that contains it.
    package static func urls(_ configuration: Configuration) -> [(setting: String, url: String)] {
        let names = configuration[receivers]
        guard !names.isEmpty else { return configuration[url].map { [(url.key, $0)] } ?? [] }
        return names.compactMap { name in
            narrowed(configuration, to: name)[url].map { ("webhooks.receivers.\(name).url", $0) }
        }
    }

    /// Returns the group and topics of each receiver, even if the receivers cannot be distinguished.
    package static func reading(_ configuration: Configuration) -> [Reading] {
        let names = TopicNames(prefix: configuration[topicsPrefix])
        let receivers = configuration[receivers]
        let configurations = receivers.isEmpty ? [configuration] : receivers.map { narrowed(configuration, to: $0) }
        return configurations.map { configuration in
            let chosen = configuration[environments]
            return Reading(
                group: configuration[group],
                topics: configuration[content].topics(names, AppStoreEnvironment.published.filter(chosen.contains)),
                rebuilds: configuration[content] == .signed)
        }
    }
}
