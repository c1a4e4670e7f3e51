package import Kafka
package import Lifecycle

/// Errors for permanent failures to read a topic. Each of them ends the process.
extension StartupError {
    /// Records were deleted before they were read.
    package static func offsetOutOfRange(_ partition: KafkaTopicPartition, _ offset: KafkaOffset, fix: String)
        -> StartupError
    {
        StartupError(
            "\(partition) no longer has offset \(offset): records were deleted before they were read",
            fix: fix, exitCode: .offsetOutOfRange)
    }

    /// The partition's log is damaged.
    package static func damaged(
        _ partition: KafkaTopicPartition, _ offset: KafkaOffset, _ error: KafkaError
    ) -> StartupError {
        StartupError(
            "\(partition) cannot be read at or after offset \(offset): \(error)",
            fix: "Restart the process; if the damage recurs, see runbooks/damaged-log.md", exitCode: .damagedLog)
    }

    /// A handler did not return in time.
    static func deadlineExceeded(
        _ partition: KafkaTopicPartition, _ offset: KafkaOffset, _ limit: Duration
    ) -> StartupError {
        StartupError(
            "the handler did not return within \(limit) for the record at offset \(offset) of \(partition)",
            setting: "consumer.record.deadline",
            fix: "Restart the process; after three such exits the record is handled alone, then dead-lettered",
            exitCode: .recordDeadline)
    }

    /// The client has failed permanently.
    package static func clientFailed(_ error: KafkaError) -> StartupError {
        guard [.fenced, .fencedInstance].contains(error.code) else {
            return StartupError("the Kafka client failed permanently: \(error)", fix: "Restart the process")
        }
        // After a restart, this member would take over the name again, and the other member would fail in turn.
        return StartupError(
            "another member of the group has the same instance name and replaced this one: \(error)",
            setting: "*.group.instance.id", fix: "Give each member a unique name", exitCode: .configuration)
    }
}
