internal import Kafka
internal import Records

/// The topics of an installation, which clients cannot create themselves.
enum DevBrokerTopics {
    /// Returns all topics with their partition counts.
    ///
    /// - Parameters:
    ///   - groups: consumer groups, in addition to Sluice's own, that may read any keyed topic.
    ///   - others: names of keyed topics, in addition to Sluice's own.
    static func all(prefix: String, partitions: Int, groups: [String], others: [String]) -> [KafkaTopic: Int] {
        let names = TopicNames(prefix: prefix)
        var topics = names.specifications(partitions: partitions)
        for group in groups {
            topics += names.deadLetters(of: group, partitions: partitions)
            topics += names.deadLetters(of: group, reading: names.entitlements, partitions: partitions)
        }
        return Dictionary(
            topics.map { ($0.name, $0.partitions) } + others.map { (KafkaTopic(rawValue: $0), partitions) },
            uniquingKeysWith: { first, _ in first })
    }
}
