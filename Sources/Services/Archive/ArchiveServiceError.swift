internal import ArchiveLog
internal import Kafka
internal import Lifecycle

/// An error of sluice-archive, in addition to those of the archive's format and storage (``ArchiveError``). Equality
/// compares the code and the message.
struct ArchiveServiceError: TerminatingError, Equatable, CustomStringConvertible {
    /// The kind of error. The codes in ``anchoring`` are metric labels.
    enum Code: String, Sendable {
        /// The anchor did not respond, or reported a temporary failure.
        case unavailable
        /// The anchor does not know the log or its key, or rejects the checkpoint.
        case refused
        /// The anchor has a longer log or different leaves, so the archive was rolled back or forked.
        case conflict
        /// The response is malformed or not signed with the anchor's key.
        case answer
        /// The archive could not be read.
        case archive
        /// An anchor is unreachable, and no other source has the log's last signature.
        case anchorUnreachable
        /// The archive belongs to a different Kafka cluster, where the same offsets refer to different records.
        case otherCluster
        /// The topic was deleted and recreated, so its offsets no longer refer to the archived records.
        case recreatedTopic
        /// The log is rejected until an operator intervenes.
        case refusedLog
        /// The record's topic is not archived. This is a programming error, reported instead of crashing.
        case unknownTopic

        /// The kinds of failed attempts to anchor a checkpoint.
        static let anchoring: [Code] = [.unavailable, .refused, .conflict, .answer, .archive]
    }

    let code: Code
    let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    var description: String { message }
    var line: String { message.split(whereSeparator: \.isNewline).joined(separator: " ") }
    var exitCode: ExitCode { code == .refusedLog ? .configuration : .failure }
}

extension ArchiveServiceError {
    static func anchorUnreachable(_ names: LogNames, _ cause: any Error) -> Self {
        Self(
            .anchorUnreachable,
            """
            this host has no signed checkpoint of \(names.prefix), and an anchor that may have one does not respond: \
            \(cause). Make the anchor available, or remove archive.anchor.url and set archive.anchor.kafka=false for one \
            start
            """)
    }

    static func otherCluster(_ partition: KafkaTopicPartition, archived: String, present: String) -> Self {
        Self(
            .otherCluster,
            """
            the archive of \(partition) belongs to cluster \(archived), but this cluster is \(present). Set a new \
            archive.url for this cluster, and keep the old archive
            """)
    }

    /// Creates the error for a topic that ends before the archive does.
    static func recreated(_ partition: KafkaTopicPartition, archived: KafkaOffset, end: KafkaOffset) -> Self {
        recreated("\(partition) ends at offset \(end), but its archive ends at \(archived)")
    }

    /// Creates the error for a record that differs from the one archived at the same offset.
    static func recreated(_ partition: KafkaTopicPartition, differing offset: KafkaOffset) -> Self {
        recreated("the record at offset \(offset) of \(partition) differs from the archived one")
    }

    private static func recreated(_ reason: String) -> Self {
        Self(
            .recreatedTopic,
            """
            \(reason): the topic was recreated. Set a new archive.url for the new topic, and keep the \
            old archive
            """)
    }

    static func unknownTopic(_ topic: KafkaTopic) -> Self { Self(.unknownTopic, "\(topic) is not archived") }
}
