internal import ArchiveLog
internal import Kafka
internal import OperatorEvents
internal import Synchronization

/// Publishes an operator event for each finding about a log of the archive: the log differs from its signed state or
/// lacks records. A failure that is repeated until the log is written again is a single finding.
final class ArchiveFindings: Sendable {
    /// The codes of failures that are findings. Other failures may be transient.
    static let codes: Set<ArchiveError.Code> = [
        .otherWriter, .damaged, .checkpointMissing, .beginRefused, .rolledBack, .forked, .unknownKey,
        .invalidSignature, .missingObject, .corruptObject,
    ]

    private let events: OperatorEvents?
    private let failures = Mutex<[KafkaTopicPartition: ArchiveError.Code]>([:])
    /// The first offset of each partition's last gap. A failed flush is repeated with the same gap.
    private let gaps = Mutex<[KafkaTopicPartition: KafkaOffset]>([:])

    init(_ events: OperatorEvents?) { self.events = events }

    /// Reports a failure to open, verify or write the log of a partition.
    func failed(_ partition: KafkaTopicPartition, _ error: ArchiveError) {
        guard Self.codes.contains(error.code) else { return }
        let isNew = failures.withLock { $0.updateValue(error.code, forKey: partition) != error.code }
        guard isNew else { return }
        events?.publish(
            .archiveFinding, subject: "\(partition)",
            data: ["reason": .text(error.code.rawValue), "detail": .text(String(error.message.prefix(1_000)))])
    }

    /// Reports offsets that Kafka deleted before they were archived.
    func missing(_ partition: KafkaTopicPartition, _ offsets: Range<KafkaOffset>) {
        let isNew = gaps.withLock { $0.updateValue(offsets.lowerBound, forKey: partition) != offsets.lowerBound }
        guard isNew else { return }
        events?.publish(
            .archiveFinding, subject: "\(partition)",
            data: [
                "reason": .text("missing_records"), "firstMissing": .integer(offsets.lowerBound.rawValue),
                "lastMissing": .integer(offsets.upperBound.rawValue - 1),
            ])
    }

    /// Ends the finding about a log.
    func written(_ partition: KafkaTopicPartition) { failures.withLock { $0[partition] = nil } }
}
