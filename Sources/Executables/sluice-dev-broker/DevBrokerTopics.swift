internal import Kafka
internal import NotificationRecord

/// The topics of an installation, which nobody can create from outside.
enum DevBrokerTopics {
    /// Every topic with its number of partitions.
    static func all(prefix: String, partitions: Int) -> [KafkaTopic: Int] {
        let topics = TopicNames(prefix: prefix).specifications(partitions: partitions)
        return Dictionary(
            topics.map { (KafkaTopic(rawValue: $0.name.rawValue), $0.partitions) },
            uniquingKeysWith: { first, _ in first })
    }
}
