internal import Kafka
internal import Records

extension TopicNames {
    /// Returns every topic of an installation, including additional state topics and the dead letter topics of
    /// additional consumer groups. An additional group may read any keyed topic. A receiver of operator events has its
    /// own dead letter topic.
    func specifications(
        partitions: Int, groups: [String], stateTopics: [String] = [],
        receivers: [AccessOptions.WebhookReceiver] = []
    ) -> [TopicSpecification] {
        var known: Set<KafkaTopic> = []
        let all =
            specifications(partitions: partitions)
            + groups.flatMap { group in
                deadLetters(of: group, partitions: partitions)
                    + deadLetters(of: group, reading: entitlements, partitions: partitions)
            }
            + receivers.filter { $0.inputs.contains(operations) }.map { operatorEventDeadLetters(of: $0.group) }
            + stateTopics.map { .state(KafkaTopic(rawValue: $0), partitions: partitions) }
        return all.filter { known.insert($0.name).inserted }
    }

    /// Returns the receivers' groups that need dead letter topics in addition to the topics of every installation.
    func furtherGroups(_ receivers: [AccessOptions.WebhookReceiver]) -> [String] {
        let known = Set(deadLetters(partitions: 1).map(\.name))
        return receivers.filter { receiver in
            !receiver.inputs.allSatisfy { $0 == operations || known.contains($0.deadLetters(of: receiver.group)) }
        }.map(\.group)
    }
}
