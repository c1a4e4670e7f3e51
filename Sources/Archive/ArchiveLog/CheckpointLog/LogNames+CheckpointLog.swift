internal import KafkaModel
package import ObjectStorage

/// The location of the checkpoint log: the log with the checkpoints of all other logs as its leaves. All its objects
/// are below `checkpoint-log/`, which cannot collide with a partition's log, because a partition's path has two
/// folders.
///
/// ```
/// checkpoint, checkpoints/…, tile/…   as in every log
/// pending                             the newest signed checkpoint and its last leaves, before their objects exist
/// cosigned/<key id>                   the newest checkpoint that a witness cosigned, with its cosignature
/// ```
extension LogNames {
    private static let checkpointLogFolder = "checkpoint-log"

    /// - Throws: ``ObjectStoreError``; never in practice, because the name is valid.
    package static func checkpointLog() throws(ObjectStoreError) -> LogNames {
        LogNames(
            // Findings and reports show this name instead of a topic and partition.
            standIn: KafkaTopicPartition(topic: KafkaTopic(rawValue: checkpointLogFolder), partition: 0),
            prefix: try ObjectName(checkpointLogFolder))
    }

    package var isCheckpointLog: Bool { prefix.text == Self.checkpointLogFolder }

    /// Returns the name of the object that decides which of two writers continues.
    func pending() throws(ObjectStoreError) -> ObjectName { try prefix.appending("pending") }
}
