internal import Kafka
internal import Records

extension TopicNames {
    /// Every topic of an installation, the dead letter topics of further consumer groups, each of which may read any of the
    /// keyed topics, and the topics of further states by key.
    func specifications(
        partitions: Int, groups: [String], stateTopics: [String] = []
    ) -> [TopicSpecification] {
        var known: Set<KafkaTopic> = []
        let all =
            specifications(partitions: partitions)
            + groups.flatMap { group in
                deadLetters(of: group, partitions: partitions)
                    + deadLetters(of: group, reading: entitlements, partitions: partitions)
            }
            + stateTopics.map { .state(KafkaTopic(rawValue: $0), partitions: partitions) }
        return all.filter { known.insert($0.name).inserted }
    }
}
