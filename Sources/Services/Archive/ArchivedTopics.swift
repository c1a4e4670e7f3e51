internal import AppStoreModel
package import ArchiveLog
package import KafkaModel
package import Records

/// The archived topics: all data received from Apple, and the records derived from it. Topics that can be recomputed
/// (entitlements, reconciliation) are not archived.
package struct ArchivedTopics: Sendable {
    package let names: TopicNames
    /// The archived topics that are part of Sluice, with their configurations.
    package let specifications: [TopicSpecification]
    /// All archived topics.
    package let all: [ArchivedTopic]
    private let byTopic: [KafkaTopic: ArchivedTopic]
    private let compacted: Set<KafkaTopic>

    /// - Parameter further: dead letter topics of the installation's own consumers.
    package init(_ names: TopicNames, further: [KafkaTopic] = []) {
        self.names = names
        let specifications =
            (names.ingress() + names.state() + names.deadLetters() + names.archive).filter {
                ArchivedTopic($0.name, names: names) != nil
            }
        self.specifications = specifications
        let known = specifications.map(\.name)
        all = (known + further.filter { !known.contains($0) }).compactMap { ArchivedTopic($0, names: names) }
        byTopic = Dictionary(uniqueKeysWithValues: all.map { ($0.topic, $0) })
        compacted = Set(
            specifications.compactMap {
                guard case .compact = $0.cleanup else { return nil }
                return $0.name
            })
    }

    package subscript(_ topic: KafkaTopic) -> ArchivedTopic? { byTopic[topic] }

    /// Returns whether Kafka compacts the topic, in which case offsets may be missing.
    package func isCompacted(_ topic: KafkaTopic) -> Bool { compacted.contains(topic) }
}
