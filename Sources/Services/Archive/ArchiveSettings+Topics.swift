internal import ArchiveFormat
package import Configuration
package import Kafka
internal import Records

extension ArchiveSettings {
    /// The settings on which the topics depend that are read or written.
    package static let topicSettings: [any AnySetting] = [deadLetters, anchorKafka]

    /// The topics that are read, with those of `archive.dead.letter.topics`.
    package static func archivedTopics(_ configuration: Configuration) -> [KafkaTopic] {
        ArchivedTopics(
            TopicNames(prefix: configuration[topicsPrefix]),
            further: configuration[deadLetters].map(KafkaTopic.init(rawValue:))
        ).all.map(\.topic)
    }
}
