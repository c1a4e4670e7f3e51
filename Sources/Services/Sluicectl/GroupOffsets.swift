internal import CommandLine
internal import JSON
internal import Kafka
internal import Lifecycle

/// The offsets at which a consumer group should resume, and the offsets that it has committed.
struct GroupOffsets {
    let group: KafkaConsumerGroup
    /// The target for each partition: the next offset to read.
    let targets: [KafkaTopicPartition: KafkaOffset]
    /// The currently committed offsets. Partitions without a commit are absent.
    let committed: [KafkaTopicPartition: KafkaOffset]

    /// Returns the offsets that make a group read topics from the beginning.
    ///
    /// - Throws: a `KafkaError`, such as `unknownTopic`.
    static func beginnings(
        of topics: [KafkaTopic], for group: KafkaConsumerGroup, _ admin: KafkaAdmin
    ) async throws(KafkaError) -> GroupOffsets {
        var targets: [KafkaTopicPartition: KafkaOffset] = [:]
        for topic in topics {
            for (partition, watermarks) in try await admin.watermarks(of: topic) { targets[partition] = watermarks.low }
        }
        return GroupOffsets(
            group: group, targets: targets,
            committed: try await admin.committedOffsets(of: group, partitions: Array(targets.keys)))
    }

    var partitions: [KafkaTopicPartition] {
        targets.keys.sorted { ($0.topic.rawValue, $0.partition) < ($1.topic.rawValue, $1.partition) }
    }

    /// Commits the targets on behalf of the group.
    ///
    /// - Parameter executable: the group's executable, which must not be running.
    /// - Throws: a ``StartupError`` if the offsets cannot be reset, such as those of a group with members.
    func commit(_ admin: KafkaAdmin, executable: String) async throws(StartupError) {
        do {
            try await admin.alterOffsets(of: group, to: targets)
        } catch {
            throw StartupError(
                "failed to reset the group's offsets: \(error.message)",
                fix: "Stop every \(executable) first: offsets of a group with members cannot be reset")
        }
    }

    /// The offsets as a table with a header row.
    var text: String {
        let rows = partitions.map { partition in
            [
                partition.topic.rawValue, "\(partition.partition)",
                committed[partition].map { "\($0.rawValue)" } ?? "-",
                targets[partition].map { "\($0.rawValue)" } ?? "-",
            ]
        }
        return PlainText.table([["TOPIC", "PARTITION", "FROM", "TO"]] + rows)
    }

    /// Writes the `group` and `partitions` members.
    func write(to object: inout JSONWriter) {
        object.set("group", group.rawValue)
        object.array("partitions") { array in
            for partition in partitions {
                array.object {
                    $0.set("topic", partition.topic.rawValue)
                    $0.set("partition", partition.partition.rawValue)
                    $0.set("from", committed[partition]?.rawValue)
                    $0.set("to", targets[partition]?.rawValue)
                }
            }
        }
    }
}
