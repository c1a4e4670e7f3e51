internal import Kafka
internal import Lifecycle

/// Checks that the partition count of a state's topic has not changed. After a change, a key could have records in two
/// partitions, and a member with a new disk would read only the records in the new one.
enum PartitionCounts {
    static let fix = """
        Partitions cannot be added to keyed topics. Create all topics under a different topics.prefix with the desired \
        partition count (sluicectl topics apply --partitions N), and copy each state there with sluicectl state rekey
        """

    /// Compares the partition counts in a file with those reported by the brokers.
    ///
    /// - Throws: a `StartupError` with exit code 78.
    static func check(
        _ counts: [KafkaTopic: Int], _ store: StateStore, path: String
    ) throws {
        for (topic, count) in counts.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            let known = try store.partitionCount(of: topic, now: count)
            guard known != count else { continue }
            throw StartupError(
                "\(topic) has \(count) partitions, but had \(known) when \(path) was created", setting: "topics.prefix",
                fix: fix, exitCode: .configuration)
        }
    }

    /// Returns the error for a record found in the partition that its key belonged to before the partition count
    /// changed.
    static func moved(_ record: KafkaRecord, in place: KafkaTopicPartition, now: KafkaPartition) -> StateError {
        StateError(
            .repartitioned,
            """
            a member published the record at offset \(record.offset) to \(place), but its key belongs to partition \
            \(now): the number of partitions of \(place.topic) was changed
            """)
    }
}
