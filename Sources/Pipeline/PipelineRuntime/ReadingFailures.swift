package import Kafka
package import Lifecycle

/// Why what reads a topic cannot go on, told as the end of the process.
extension StartupError {
    /// Records were deleted before they were read.
    package static func offsetOutOfRange(_ partition: KafkaTopicPartition, _ offset: KafkaOffset, fix: String)
        -> StartupError
    {
        StartupError(
            "\(partition) does not have offset \(offset) any more: records were deleted before they were read",
            fix: fix, exitCode: .offsetOutOfRange)
    }

    /// The client reads nothing more.
    package static func clientFailed(_ error: KafkaError) -> StartupError {
        StartupError("the Kafka client failed for good: \(error)", fix: "Start again")
    }
}
