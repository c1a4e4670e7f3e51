internal import Kafka

/// The partitions that were not searched because they cannot be read, such as those without a leader.
struct UnavailablePartitions {
    /// The errors, by partition.
    let errors: [KafkaTopicPartition: KafkaError]

    /// One gap for all partitions without a leader, and one for each other partition.
    var gaps: [Story.Gap] {
        let sorted = errors.sorted {
            ($0.key.topic.rawValue, $0.key.partition) < ($1.key.topic.rawValue, $1.key.partition)
        }
        let leaderless = sorted.filter { $0.value.code == .leaderNotAvailable }.map(\.key.description)
        let others = sorted.filter { $0.value.code != .leaderNotAvailable }.map { place, error in
            Story.Gap(
                "partition not searched: \(place), \(error.message)",
                fix: "Check the partition's leader with: kafka-topics.sh --describe, and run the command again")
        }
        guard !leaderless.isEmpty else { return others }
        let gap = Story.Gap(
            "partitions not searched, because they have no leader: " + leaderless.joined(separator: ", "),
            fix: "Start the brokers that have their replicas, which are listed by: kafka-topics.sh --describe "
                + "--unavailable-partitions; then run the command again")
        return [gap] + others
    }
}
