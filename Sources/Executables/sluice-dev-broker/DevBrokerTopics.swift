internal import Kafka
internal import NotificationRecord

/// The topics of an installation, which nobody can create from outside.
enum DevBrokerTopics {
    /// The consumer groups that have dead letter topics, with the inputs they read besides the notifications.
    private static let groups: [(name: String, readsQuarantine: Bool)] = [
        ("sluice-entitlements", false), ("sluice-refunds", false), ("sluice-archive", true),
    ]

    /// Every topic with its number of partitions: keyed topics and their dead letters have `partitions`.
    static func all(prefix: String, partitions: Int) -> [KafkaTopic: Int] {
        let names = TopicNames(prefix: prefix)
        var topics: [KafkaTopic: Int] = [:]
        func add(_ name: TopicName) { topics[KafkaTopic(rawValue: name.rawValue)] = partitions }
        for name in names.all { add(name) }
        for group in groups {
            let inputs = RecordEnvironment.allCases.map(names.notifications)
            for input in inputs + (group.readsQuarantine ? [names.quarantine] : []) {
                add(input.deadLetters(of: group.name))
            }
        }
        return topics
    }
}
