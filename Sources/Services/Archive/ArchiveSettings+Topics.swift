internal import ArchiveLog
package import Configuration
package import Kafka
internal import Records

extension ArchiveSettings {
    /// The settings that determine which topics are read or written.
    package static let topicSettings: [any AnySetting] = [deadLetters, anchorKafka]

    /// The archived topics, including those in `archive.dead.letter.topics`.
    package static func archivedTopics(_ configuration: Configuration) -> [KafkaTopic] {
        ArchivedTopics(
            TopicNames(prefix: configuration[topicsPrefix]),
            further: configuration[deadLetters].map(KafkaTopic.init(rawValue:))
        ).all.map(\.topic)
    }
}
