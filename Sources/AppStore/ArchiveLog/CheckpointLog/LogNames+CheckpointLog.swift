internal import KafkaModel
package import ObjectStorage

/// Where the log of checkpoints is: the one log of an archive whose leaves are checkpoints of all others. Everything of it
/// is below `checkpoint-log/`, which no log of a partition is, since those have two folders.
///
/// ```
/// checkpoint, checkpoints/…, tile/…   as in every log
/// pending                             the newest signed checkpoint and its last leaves, before their objects are written
/// cosigned/<key id>                   the newest checkpoint that a witness cosigned, with its cosignature
/// ```
extension LogNames {
    private static let checkpointLogFolder = "checkpoint-log"

    /// - Throws: ``ObjectStoreError`` never in practice; the name is a valid one.
    package static func checkpointLog() throws(ObjectStoreError) -> LogNames {
        LogNames(
            // In findings and reports in place of a topic and its partition.
            standIn: KafkaTopicPartition(topic: KafkaTopic(rawValue: checkpointLogFolder), partition: 0),
            prefix: try ObjectName(checkpointLogFolder))
    }

    package var isCheckpointLog: Bool { prefix.text == Self.checkpointLogFolder }

    /// The object that decides which of two writers goes on.
    func pending() throws(ObjectStoreError) -> ObjectName { try prefix.appending("pending") }
}
